# cmake --install: headers, static libraries, the program, and the files for find_package and pkg-config.
include(CMakePackageConfigHelpers)

set(troupe_libraries troupe_actors troupe_collectives troupe_models troupe_runtime)  # in link order
set(troupe_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/troupe)

install(TARGETS troupe ${troupe_libraries} EXPORT troupe-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/troupe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.hpp)
install(EXPORT troupe-targets NAMESPACE troupe:: DESTINATION ${troupe_package_dir})
if(TROUPE_WITH_CUDA)  # find_package(troupe COMPONENTS cuda); CUDA is required only with this component
  install(TARGETS troupe_cuda EXPORT troupe-cuda-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT troupe-cuda-targets NAMESPACE troupe:: DESTINATION ${troupe_package_dir})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindCUDNN.cmake DESTINATION ${troupe_package_dir})
endif()
if(TROUPE_WITH_TORCH)  # find_package(troupe COMPONENTS torch); libtorch is required only with this component
  install(TARGETS troupe_torch EXPORT troupe-torch-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT troupe-torch-targets NAMESPACE troupe:: DESTINATION ${troupe_package_dir})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models/torch/include/troupe DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindLibtorch.cmake DESTINATION ${troupe_package_dir})
endif()
if(TARGET troupe_cli)
  install(TARGETS troupe_cli RUNTIME_DEPENDENCY_SET troupe_shared RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# `cmake --install FOLDER --component shared` adds the shared libraries that the program needs. Excluded are glibc's,
# which belong to the system's loader, and NVIDIA's, which come with the driver and the toolkit.
if(TARGET troupe_cli AND NOT CMAKE_CROSSCOMPILING)
  install(RUNTIME_DEPENDENCY_SET troupe_shared
    PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv|util)\\.so" "^lib(cuda|cublas|cudnn|nv)"
    LIBRARY DESTINATION ${TROUPE_SHARED_DIR} COMPONENT shared EXCLUDE_FROM_ALL)
endif()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/troupe-config.cmake.in
  ${PROJECT_BINARY_DIR}/troupe-config.cmake INSTALL_DESTINATION ${troupe_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/troupe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/troupe-config.cmake ${PROJECT_BINARY_DIR}/troupe-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindCAF.cmake ${CMAKE_CURRENT_LIST_DIR}/Finddnnl.cmake
  DESTINATION ${troupe_package_dir})

include(TroupePkgConfig)
troupe_pkg_config(troupe ${troupe_libraries})
if(TROUPE_WITH_CUDA)
  troupe_pkg_config(troupe-cuda troupe_cuda)
endif()
if(TROUPE_WITH_TORCH)
  troupe_pkg_config(troupe-torch troupe_torch)
endif()
