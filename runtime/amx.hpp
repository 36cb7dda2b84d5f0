#pragma once

namespace troupe {

/// Returns whether the processor reports AMX, Intel's matrix registers, in its feature list (CPUID).
bool lists_amx();

/// Returns whether this process can run an AMX matrix product. Some sandboxes and virtual machines report AMX but do
/// not allow it. The function therefore tries one product in a child process. If AMX does not work, only the child
/// process ends. The call takes about as long as starting a process.
bool runs_amx();

/// Returns whether a library that trusts the processor's feature list must be told not to use AMX: whether AMX is
/// listed, but does not work.
/// @param listed the result of `lists_amx`
/// @param runs tests whether AMX works, such as `runs_amx`; called only if AMX is listed
inline bool amx_must_be_avoided(bool listed, bool (*runs)()) { return listed && !runs(); }

}  // namespace troupe
