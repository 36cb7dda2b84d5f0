#pragma once

namespace troupe {

/// Returns whether the processor lists AMX, Intel's matrix registers.
bool lists_amx();

/// Returns whether the process can run an AMX matrix product. Some sandboxes and virtual machines list AMX but do not
/// allow it. Tries a product in a child process, which takes about as long as starting a process.
bool runs_amx();

/// Returns whether a library that relies on the processor's feature list must be told not to use AMX.
/// @param runs called only if AMX is listed
inline bool amx_must_be_avoided(bool listed, bool (*runs)()) { return listed && !runs(); }

}  // namespace troupe
