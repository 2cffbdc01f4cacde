cp "$FILES/worked/worked-written.gguf" m.gguf
"$GGUF" set --rewrite m.gguf a.int=5 a.big=4294967296 a.neg=-5 a.low=-2147483649 \
    a.float=1.5 a.large=1e39 a.true=true a.zeros=007 a.text='two words' \
    a.empty= a.max=18446744073709551615 a.more=18446744073709551616 \
    'a.array=[1,2]' 'a.mixed=[1,2.5]' 'a.signed=[-1,2147483648]' \
    'a.nested=[[1],[]]' 'a.words=["x","\u0000\ud83d\ude00"]' \
    'a.bools=[true,false]'
