# 64-bit IBM Z, big endian: Debian's cross gcc, its programs run by qemu-user. Libraries for
# the target (cmocka, popt) are found when Debian's packages of that architecture
# are installed; what needs a missing one is left out.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_C_COMPILER s390x-linux-gnu-gcc)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/s390x-linux-gnu/pkgconfig)

# The C library comes with those packages, or else with the compiler.
find_program(GGK_QEMU NAMES qemu-s390x-static qemu-s390x REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${GGK_QEMU})
if(NOT EXISTS /lib/s390x-linux-gnu/libc.so.6)
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L /usr/s390x-linux-gnu)
endif()
