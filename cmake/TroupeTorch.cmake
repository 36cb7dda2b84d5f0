# TROUPE_WITH_TORCH: whether troupe::torch is built. If so, the target libtorch::libtorch exists. TROUPE_TORCH_ROOT names
# the folder of an installed libtorch, such as the folder `torch` of PyPI's package; without it, the system's is used.
#
# libtorch's own package file is not used: with CMake 3.25 it fails for PyPI's package, which wants nvcc and the toolkit
# with which it was built.
set(TROUPE_WITH_TORCH OFF)
if(NOT TROUPE_TORCH)
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/FindLibtorch.cmake)
if(TARGET libtorch::libtorch)
  set(TROUPE_WITH_TORCH ON)
elseif(TROUPE_TORCH STREQUAL "AUTO")
  message(STATUS "Without modules of libtorch: libtorch was not found")
else()
  message(FATAL_ERROR "TROUPE_TORCH is ON, but libtorch was not found: install libtorch-dev, or set TROUPE_TORCH_ROOT "
    "to the folder `torch` of PyPI's package")
endif()
