#!/bin/sh
# check-avx512.sh - the kernels of AVX-512 make the bytes of the portable ones
# on a processor that has it. It is emulated: bochs boots Debian's Linux, which
# runs test_kern_lanes and nothing else.
#
# usage: check-avx512.sh [COMPILER...]    gcc and clang, if none is named
#
# Everything is made in build-avx512. The kernel is fetched by apt-get; bochs
# takes some minutes to boot it, and some more for each compiler. Exit 1 if a
# byte differs or a test did not run, 77 where a program or package is missing.
set -eu
export LC_ALL=C

root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/build-avx512
bios=/usr/share/bochs
isolinux=/usr/lib/ISOLINUX/isolinux.bin
loader=/usr/lib/syslinux/modules/bios/ldlinux.c32
tests='this_processor_is_known instruction_sets short_rows'

[ $# -gt 0 ] || set -- gcc clang

missing() {
    echo "$1 is missing; Debian's packages are bochs bochs-term bochsbios" \
        "vgabios isolinux syslinux-common xorriso cpio pkg-config libcmocka-dev"
    exit 77
}

for tool in bochs xorriso cpio apt-get pkg-config "$@"; do
    command -v "$tool" >/dev/null || missing "$tool"
done
for file in "$bios/BIOS-bochs-latest" "$bios/VGABIOS-lgpl-latest" \
    "$isolinux" "$loader" /usr/lib/*/bochs/plugins/libbx_term_gui.so; do
    [ -e "$file" ] || missing "$file"
done
pkg-config --exists cmocka || missing cmocka

# build COMPILER - test_kern_lanes by it, as in a release.
build() {
    (cd "$root" &&
        "$1" -std=c11 -O3 -ffp-contract=off -D_POSIX_C_SOURCE=200809L \
            -include tests/unit/bochs_f16.h -Iinclude -Ilib \
            tests/unit/test_kern_lanes.c lib/kern/*.c lib/kern/arm/*.c \
            lib/kern/x86/*.c lib/format/types.c lib/base/*.c \
            -lcmocka -lm -pthread \
            -o "$work/$1")
}

# The newest kernel for virtual machines, whose drivers are few.
get_linux() {
    package=$(apt-cache depends linux-image-cloud-amd64 |
        awk '/Depends: linux-image-/ { print $2 }')
    if [ -z "$package" ] ||
        ! (cd "$work" && apt-get -qq download "$package") 2>/dev/null; then
        missing "the package linux-image-cloud-amd64"
    fi
    dpkg -x "$work/$package"_*.deb "$work/linux"
}

# put FILE NAME - a program into the guest's files, with its libraries.
put() {
    cp -L "$1" "$guest/$2"
    ldd "$1" | grep -o '/[^ ]*' | while read -r library; do
        mkdir -p "$guest$(dirname "$library")"
        cp -L "$library" "$guest$library"
    done
}

# What Linux runs first; when it is done, the processor is reset.
guest_init() {
    cat <<EOF
#!/bin/sh
/mount -t proc proc /proc
for program in $*; do
    for test in $tests; do
        /\$program \$test
        echo "\$program \$test: status \$?"
    done
done
echo 'the end'
/sleep 2
echo b >/proc/sysrq-trigger
/sleep 9
EOF
}

# Bochs 2.7 tells a wrong size of what XSAVES saves, and Linux then does without
# AVX: so it is told to do without XSAVES.
boot_options() {
    cat <<EOF
default linux
label linux
    kernel /vmlinuz
    initrd /initrd
    append console=ttyS0 quiet clearcpuid=xsaves,xsavec mitigations=off pci=off acpi=off noapic lpj=1000000 reboot=triple
EOF
}

machine() {
    cat <<EOF
display_library: term
cpu: model=corei7_skylake_x, ips=50000000, reset_on_triple_fault=0
memory: guest=512, host=512
romimage: file=$bios/BIOS-bochs-latest
vgaromimage: file=$bios/VGABIOS-lgpl-latest
ata0-master: type=cdrom, path=$work/linux.iso, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=$work/said
sound: waveoutdrv=dummy, waveindrv=dummy, midioutdrv=dummy
log: $work/bochs.log
panic: action=fatal
EOF
}

make_image() {
    image=$work/image
    guest=$work/guest
    rm -rf "$image" "$guest"
    mkdir -p "$image/isolinux" "$guest/bin" "$guest/proc"
    put /bin/sh bin/sh
    put /bin/mount mount
    put /bin/sleep sleep
    for compiler; do
        put "$work/$compiler" "$compiler"
    done
    guest_init "$@" >"$guest/init"
    chmod +x "$guest/init"
    (cd "$guest" && find . | cpio -o -H newc --quiet) | gzip >"$image/initrd"
    cp "$work"/linux/boot/vmlinuz-* "$image/vmlinuz"
    cp "$isolinux" "$loader" "$image/isolinux"
    boot_options >"$image/isolinux/isolinux.cfg"
    xorriso -as mkisofs -quiet -o "$work/linux.iso" -no-emul-boot \
        -b isolinux/isolinux.bin -c isolinux/boot.cat -boot-load-size 4 \
        -boot-info-table "$image" 2>/dev/null
}

# drain - reads what bochs shows on the terminal that it makes, as long as there
# is one: it waits when that is full.
drain() {
    while [ -e "$work/running" ]; do
        terminal=$(sed -n 's/^Bochs connected to screen "\(.*\)".*/\1/p' \
            "$work/screen")
        [ -z "$terminal" ] || {
            stty -F "$terminal" raw -echo
            cat "$terminal"
        }
        sleep 1
    done
} >/dev/null 2>&1

# Until the reset, which ends it. It is a debugger, which waits for "continue".
emulate() {
    machine >"$work/bochsrc"
    echo continue >"$work/commands"
    rm -f "$work/said"
    : >"$work/screen"
    : >"$work/running"
    drain &
    TERM=linux timeout 3600 bochs -q -f "$work/bochsrc" -rc "$work/commands" \
        </dev/null >"$work/screen" 2>&1 || true
    rm "$work/running"
    wait
    tr -d '\r' <"$work/said" >"$work/result"
}

# All that was to run ran, and nothing differed.
judge() {
    for compiler; do
        for test in $tests; do
            grep -qx "$compiler $test: status 0" "$work/result" || return 1
        done
    done
    [ "$(grep -c '^AVX-512: [1-9]' "$work/result")" = $# ]
}

mkdir -p "$work"
for compiler; do
    build "$compiler"
done
[ -d "$work/linux" ] || get_linux
make_image "$@"
emulate
cat "$work/result"
judge "$@" || {
    echo "not all of it ran and was equal; see $work"
    exit 1
}
