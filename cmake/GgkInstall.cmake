# What `cmake --install` puts where. Everything stays below the prefix, and both
# ggufkit.pc and the CMake package find the rest from their own place.
include(CMakePackageConfigHelpers)

set(libraries ggufkit_static)
if(GGK_BUILD_SHARED)
    list(APPEND libraries ggufkit)
endif()
install(TARGETS ${libraries} EXPORT ggufkit
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES include/ggk.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# -------------------------------------------------------------- pkg-config
# ggk_from_prefix(OUT DIR) - DIR as pkg-config wants it.
function(ggk_from_prefix out dir)
    if(IS_ABSOLUTE ${dir})
        set(${out} ${dir} PARENT_SCOPE)
    else()
        set(${out} "\${prefix}/${dir}" PARENT_SCOPE)
    endif()
endfunction()

set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${folder})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    string(REGEX REPLACE "[^/]+" ".." up ${folder})
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
ggk_from_prefix(pc_libdir ${CMAKE_INSTALL_LIBDIR})
ggk_from_prefix(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
list(JOIN GGK_SYSTEM_LIBRARIES " " pc_libs_private)
configure_file(packaging/ggufkit.pc.in ggufkit.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ggufkit.pc DESTINATION ${folder})

# ------------------------------------------------------------------- CMake
set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/ggufkit)
configure_package_config_file(
    packaging/ggufkit-config.cmake.in ggufkit-config.cmake
    INSTALL_DESTINATION ${folder} NO_SET_AND_CHECK_MACRO)
# Until 1.0 a minor version may break what an earlier one promised.
write_basic_package_version_file(ggufkit-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ggufkit-config.cmake
              ${PROJECT_BINARY_DIR}/ggufkit-config-version.cmake
        DESTINATION ${folder})
install(EXPORT ggufkit FILE ggufkit-targets.cmake NAMESPACE ggufkit::
        DESTINATION ${folder})

# ------------------------------------------------------------- the program
if(GGK_BUILD_CLI)
    install(TARGETS gguf DESTINATION ${CMAKE_INSTALL_BINDIR})
    foreach(page IN LISTS GGK_MAN_PAGES)
        string(REGEX MATCH "[0-9]$" section ${page})
        install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endforeach()
    set(made ${PROJECT_BINARY_DIR}/completions)
    set(share ${CMAKE_INSTALL_DATADIR})
    install(FILES ${made}/bash/gguf
            DESTINATION ${share}/bash-completion/completions)
    install(FILES ${made}/zsh/_gguf DESTINATION ${share}/zsh/site-functions)
    install(FILES ${made}/fish/gguf.fish
            DESTINATION ${share}/fish/vendor_completions.d)
    install(DIRECTORY share/types DESTINATION ${share}/ggufkit)
endif()
