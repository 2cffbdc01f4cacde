#!/bin/sh
# check-no-fma.sh - no multiplication and addition are one instruction, which
# rounds once where two round twice: the numbers would depend on the processor.
#
# usage: check-no-fma.sh FILE...        archives, objects, libraries
#        check-no-fma.sh --self-test
#
# Prints MEMBER: FUNCTION: INSTRUCTION for each that is found; exit 1 if any.
# OBJDUMP and CC name others than the system's, of another processor.
set -eu
export LC_ALL=C

cc=${CC:-cc}
objdump=${OBJDUMP:-objdump}
command -v "$objdump" >/dev/null || {
    echo "$objdump is not installed"
    exit 77
}

# fused - those among the instructions that objdump shows on standard input;
# exit 1 if any, 2 if there are none of any kind.
fused() {
    awk -F '\t' '
    BEGIN {
        x86 = "v4?fn?m(add|sub).*|vfcmadd.*|vfc?mulc.*"
        arm = "fn?m(add|sub)|b?fml[as].*|fn?ml[as]|fn?m(ad|sb)|fcmla|" \
            "b?fmmla|b?fdot|vfn?m[as][.].*"
        s390x = "m[as][ed]b?r?|[vw]fn?m[as]([sdx]b)?"
        pattern = "^(" x86 "|" arm "|" s390x ")$"
    }
    / file format / { member = $1; sub(/: .*/, "", member) }
    /^[0-9a-f]+ <.*>:$/ { name = $1; gsub(/^.*<|>:$/, "", name) }
    /^ *[0-9a-f]+:\t/ {
        seen++
        split($2, word, " ")
        if (word[1] ~ pattern) {
            print member ": " name ": " $2
            bad = 1
        }
    }
    END { exit seen == 0 ? 2 : bad }
    '
}

check() {
    status=0
    for file; do
        "$objdump" --disassemble --no-show-raw-insn "$file" >"$work/code"
        fused <"$work/code" || {
            [ $? = 1 ] || echo "$file: no instruction is found"
            status=1
        }
    done
    return "$status"
}

# ------------------------------------------------------------------ self-test
# told STATUS INSTRUCTION... - what is said of each, as objdump shows it.
told() {
    wanted=$1
    shift
    for instruction; do
        got=0
        printf 'a.o:     file format x\n\n%s <f>:\n   0:\t%s\n' \
            0000000000000000 "$instruction" | fused >"$work/said" || got=$?
        [ "$got" = "$wanted" ] || {
            echo "$instruction: $got, not $wanted"
            failed=1
        }
        told=$((told + 1))
    done
}

# planted - what the compiler fuses is found, where it can be told to.
planted() {
    machine=$("$cc" -dumpmachine) || return 1
    case $machine in
    x86_64*) can=-mfma instruction=vfmadd ;;
    aarch64*) can=-O2 instruction=fmadd ;;
    s390x*) can=-O2 instruction=maebr ;;
    *) return 0 ;;
    esac
    echo 'float f(float a, float b, float c) { return a * b + c; }' \
        >"$work/a.c"
    "$cc" -O2 "$can" -ffp-contract=fast -c "$work/a.c" -o "$work/a.o"
    if check "$work/a.o" >"$work/said" ||
        ! grep -q "^.*a.o: f: $instruction" "$work/said"; then
        echo "what the compiler fused is not found"
        return 1
    fi
    "$cc" -O2 "$can" -ffp-contract=off -c "$work/a.c" -o "$work/a.o"
    check "$work/a.o"
}

self_test() {
    failed=0
    told=0
    told 1 'vfmadd231ps %ymm0,%ymm1,%ymm2' 'vfmadd132ss (%rax),%xmm1,%xmm2' \
        'vfmsub213pd %zmm0,%zmm1,%zmm2' 'vfnmadd231ss %xmm0,%xmm1,%xmm2' \
        'vfnmsub132ps %ymm0,%ymm1,%ymm2' 'vfmaddsub213ps %ymm0,%ymm1,%ymm2' \
        'vfmsubadd213ps %ymm0,%ymm1,%ymm2' 'vfmaddps %xmm0,%xmm1,%xmm2,%xmm3' \
        'v4fmaddps (%rax),%zmm0,%zmm1' 'vfmaddcph %zmm0,%zmm1,%zmm2' \
        'fmadd s0, s1, s2, s0' 'fmsub d0, d1, d2, d0' 'fnmadd s0, s1, s2, s3' \
        'fnmsub s0, s1, s2, s3' 'fmla v0.4s, v1.4s, v2.4s' \
        'fmls v0.4s, v1.4s, v2.s[1]' 'fmlal v0.4s, v1.4h, v2.4h' \
        'fmlal2 v0.4s, v1.4h, v2.4h' 'bfmlalb v0.4s, v1.8h, v2.8h' \
        'bfmlalt v0.4s, v1.8h, v2.h[0]' 'bfmmla v0.4s, v1.8h, v2.8h' \
        'bfdot v0.4s, v1.8h, v2.8h' 'fmmla z0.s, z1.s, z2.s' \
        'fmlsl v0.4s, v1.4h, v2.4h' 'fmad z0.s, p0/m, z1.s, z2.s' \
        'fcmla v0.4s, v1.4s, v2.4s, #90' 'vfma.f32 s0, s1, s2' \
        'maebr %f0,%f2,%f4' 'maeb %f0,%f2,8(%r1)' \
        'madbr %f0,%f2,%f4' 'msebr %f0,%f2,%f4' 'msdb %f0,%f2,8(%r1)' \
        'wfmadb %v0,%v1,%v2,%v3' 'vfmadb %v0,%v1,%v2,%v3' \
        'wfmssb %f0,%f1,%f2,%f3' 'vfnmssb %v0,%v1,%v2,%v3'
    told 0 'vmulps %ymm0,%ymm1,%ymm2' 'vaddps %ymm0,%ymm1,%ymm2' \
        'vpmaddwd %ymm0,%ymm1,%ymm2' 'call 0 <vfmadd231ps>' 'madd x0, x1, x2, x3' \
        'mla v0.4s, v1.4s, v2.4s' 'msub w0, w1, w2, w3' 'fmul s0, s1, s2' \
        'fmov s0, #1.0' 'fmax s0, s1, s2' 'fmul v0.4s, v1.4s, v2.4s' \
        'mls v0.4s, v1.4s, v2.4s' 'umlal v0.8h, v1.8b, v2.8b' \
        'fmaxv s0, v1.4s' 'fmulx v0.4s, v1.4s, v2.4s' \
        'fcmlt v0.4s, v1.4s, #0.0' 'meebr %f0,%f2' 'mvc 0(8,%r1),0(%r2)' 'vfmdb %v0,%v1,%v2' 'vfmaxdb %v0,%v1,%v2,4' \
        'msr %r1,%r2' 'msgr %r1,%r2' 'ma %r1,%r2'
    got=0
    printf 'a.o:     file format x\n' | fused || got=$?
    [ "$got" = 2 ] || {
        echo "a file without instructions: $got, not 2"
        failed=1
    }
    planted || failed=1
    echo "$told instructions, $([ $failed = 0 ] && echo all judged well ||
        echo NOT all judged well)"
    return "$failed"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case ${1-} in
--self-test) self_test ;;
*) check "$@" ;;
esac
