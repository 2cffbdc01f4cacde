# Debian's cross gcc for ${GGK_CPU}, its programs run by qemu-user. Libraries for
# it (cmocka, popt) are those that tools/cross-libs.sh unpacked into
# GGK_CROSS_LIBS, else Debian's packages of that architecture, where they are
# installed; what needs a missing one is left out.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${GGK_CPU})
set(CMAKE_C_COMPILER ${GGK_CPU}-linux-gnu-gcc)

set(GGK_CROSS_LIBS "" CACHE PATH "Where tools/cross-libs.sh put libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GGK_CROSS_LIBS)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${GGK_CROSS_LIBS}")
set(ENV{PKG_CONFIG_LIBDIR}
    "${GGK_CROSS_LIBS}/usr/lib/${GGK_CPU}-linux-gnu/pkgconfig")

# The C library comes with those packages, or else with the compiler.
find_program(GGK_QEMU NAMES qemu-${GGK_CPU}-static qemu-${GGK_CPU} REQUIRED)
set(CMAKE_CROSSCOMPILING_EMULATOR ${GGK_QEMU} ${GGK_QEMU_OPTIONS})
if(NOT EXISTS /lib/${GGK_CPU}-linux-gnu/libc.so.6)
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR -L /usr/${GGK_CPU}-linux-gnu)
endif()
if(GGK_CROSS_LIBS) # for libcrypto, which is looked for at run time
    list(APPEND CMAKE_CROSSCOMPILING_EMULATOR
         -E "LD_LIBRARY_PATH=${GGK_CROSS_LIBS}/usr/lib/${GGK_CPU}-linux-gnu")
endif()
