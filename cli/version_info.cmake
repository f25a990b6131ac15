# Writes OUTPUT, a header with what `heliolite --version` prints. Left alone when nothing changed.
find_package(Git QUIET)
set(commit "unknown")
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit "${found}")
  endif()
endif()
file(WRITE ${OUTPUT}.new "#pragma once
#define HELIOLITE_VERSION \"${VERSION}\"
#define HELIOLITE_COMMIT \"${commit}\"
#define HELIOLITE_BUILD_TYPE \"${BUILD_TYPE}\"
#define HELIOLITE_SANITIZE \"${SANITIZE}\"
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUTPUT}.new ${OUTPUT})
file(REMOVE ${OUTPUT}.new)
