#pragma once

// The version of Troupe. CMake and pkg-config read their version from this file.

/// The major part of the version.
#define TROUPE_VERSION_MAJOR 0
/// The minor part of the version.
#define TROUPE_VERSION_MINOR 1
/// The patch part of the version.
#define TROUPE_VERSION_PATCH 0
/// The whole version as text, "MAJOR.MINOR.PATCH".
#define TROUPE_VERSION "0.1.0"
