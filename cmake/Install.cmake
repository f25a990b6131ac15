# `cmake --install`: the binary, its completions and manual pages, the public headers and the libraries behind them, and
# a package for find_package(heliolite). `cmake --install BUILD --component headers` installs the headers alone.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# heliolite_libraries_behind(target output): our libraries that the target links, directly or through others.
function(heliolite_libraries_behind target output)
  set(found "")
  set(pending ${target})
  while(pending)
    list(POP_FRONT pending library)
    if(NOT TARGET ${library})
      continue()
    endif()
    get_target_property(real ${library} ALIASED_TARGET)
    if(NOT real)
      set(real ${library})
    endif()
    if(real IN_LIST found OR NOT real MATCHES "^heliolite_")
      continue()
    endif()
    list(APPEND found ${real})
    get_target_property(linked ${real} INTERFACE_LINK_LIBRARIES)
    if(linked)
      list(APPEND pending ${linked})
    endif()
  endwhile()
  set(${output} ${found} PARENT_SCOPE)
endfunction()

function(heliolite_install)
  heliolite_libraries_behind(heliolite_all libraries)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/heliolite)
  install(TARGETS heliolite RUNTIME)
  install(TARGETS ${libraries} EXPORT heliolite ARCHIVE)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/heliolite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers
          FILES_MATCHING PATTERN *.h)
  # Written by the program when they are installed.
  if(NOT CMAKE_CROSSCOMPILING)
    set(shell ${PROJECT_BINARY_DIR}/installed_shell_files)
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DPROGRAM=$<TARGET_FILE:heliolite>\"
                                          \"-DOUTPUT=${shell}\" -P \"${PROJECT_SOURCE_DIR}/cmake/ShellFiles.cmake\"
                                          COMMAND_ERROR_IS_FATAL ANY)")
    install(DIRECTORY ${shell}/ DESTINATION ${CMAKE_INSTALL_DATADIR})
  endif()
  install(EXPORT heliolite NAMESPACE heliolite:: FILE heliolite-targets.cmake DESTINATION ${package})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/heliolite-config.cmake.in
                                ${PROJECT_BINARY_DIR}/heliolite-config.cmake INSTALL_DESTINATION ${package})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/heliolite-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/heliolite-config.cmake ${PROJECT_BINARY_DIR}/heliolite-config-version.cmake
          DESTINATION ${package})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  # The presets are in the binary; these copies are for reading and as a start for one's own.
  set(presets ${PROJECT_BINARY_DIR}/installed_presets)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DSOURCE=${PROJECT_SOURCE_DIR}\" \"-DOUTPUT=${presets}\"
                                        -P \"${PROJECT_SOURCE_DIR}/cmake/InstalledPresets.cmake\"
                                        COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${presets}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/heliolite)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/heliolite
          FILES_MATCHING PATTERN *.json)
endfunction()
