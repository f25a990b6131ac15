# Sets HELIOLITE_PYTHON_FOUND: pybind11 (Debian: pybind11-dev) and the headers of a Python interpreter (python3-dev),
# which only the package heliolite needs. What is not found is looked for again by every configuration.
set(HELIOLITE_PYTHON_FOUND FALSE)
if(HELIOLITE_PYTHON)
  find_package(Python3 3.9 COMPONENTS Interpreter Development.Module QUIET)
  find_package(pybind11 2.10 CONFIG QUIET)
  if(Python3_Interpreter_FOUND AND Python3_Development.Module_FOUND AND pybind11_FOUND)
    set(HELIOLITE_PYTHON_FOUND TRUE)
  else()
    message(NOTICE "The Python package is not built: pybind11 and the headers of Python (Debian: pybind11-dev, "
                   "python3-dev) were not found")
  endif()
endif()
