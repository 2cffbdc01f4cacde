#!/bin/sh
# cross-libs.sh - the libraries of another architecture that gguf and the tests
# are linked with, unpacked from Debian's packages into a folder.
#
# usage: cross-libs.sh CPU FOLDER      CPU: s390x or aarch64
#
# Nothing is installed: apt works with lists and a cache of its own, as the
# system need not know the architecture.
set -eu
export LC_ALL=C

cpu=${1-} folder=${2-}
case $cpu in
s390x) arch=s390x ;;
aarch64) arch=arm64 ;;
*)
    sed -n '5s/^# //p' "$0" >&2
    exit 2
    ;;
esac
[ ! -e "$folder/usr/lib/$cpu-linux-gnu/libpcre2-8.so.0" ] || exit 0

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$folder"
: >"$apt/status"
chmod 755 "$apt"

apt_get() {
    apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" \
        -o Dir::State="$apt" -o Dir::State::status="$apt/status" \
        -o Dir::Cache="$apt" -o APT::Sandbox::User=root "$@"
}

apt_get update || true # some sources lack the architecture
(
    cd "$apt"
    apt_get download libcmocka-dev libcmocka0 libpopt-dev libpopt0 \
        libjson-c-dev libjson-c5 libxxhash-dev libssl3 libpcre2-8-0
)
for package in "$apt"/*.deb; do
    dpkg-deb -x "$package" "$folder"
done
