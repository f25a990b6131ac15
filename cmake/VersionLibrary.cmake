# heliolite::version: a library of its own, so that a new commit relinks only those who ask for it.
set(version_source ${PROJECT_BINARY_DIR}/version/version.cpp)
if(CMAKE_BUILD_TYPE)
  set(build_type ${CMAKE_BUILD_TYPE})
else()
  set(build_type None)
endif()
add_custom_target(heliolite_version_source
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${version_source} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
          "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -DBUILD_TYPE=${build_type}
          -DSANITIZERS=${HELIOLITE_SANITIZE} -P ${PROJECT_SOURCE_DIR}/cmake/Version.cmake
  BYPRODUCTS ${version_source}
  VERBATIM)
add_library(heliolite_version STATIC ${version_source})
add_library(heliolite::version ALIAS heliolite_version)
add_dependencies(heliolite_version heliolite_version_source)
set_target_properties(heliolite_version PROPERTIES EXPORT_NAME version POSITION_INDEPENDENT_CODE ON)
heliolite_include_root(heliolite_version PUBLIC ${PROJECT_SOURCE_DIR}/include)
target_compile_features(heliolite_version PUBLIC cxx_std_20)
target_link_libraries(heliolite_version PRIVATE $<BUILD_INTERFACE:heliolite_flags>)
