#pragma once

namespace troupe {

/// Whether the processor lists AMX, the matrix registers of Intel's.
bool lists_amx();

/// Whether a product of such matrices can be computed. Sandboxes and virtual machines list what they do not let run.
/// Tried in a child process, which takes about as long as to start one.
bool runs_amx();

/// Whether a library that goes by the processor's list must be told to do without.
/// @param runs asked only where that matters.
inline bool amx_must_be_avoided(bool listed, bool (*runs)()) { return listed && !runs(); }

}  // namespace troupe
