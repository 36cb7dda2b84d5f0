#pragma once

/// Troupe's version; CMake's and pkg-config's are read from here.
#define TROUPE_VERSION_MAJOR 0
#define TROUPE_VERSION_MINOR 1
#define TROUPE_VERSION_PATCH 0
#define TROUPE_VERSION "0.1.0"
