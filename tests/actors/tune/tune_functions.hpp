#pragma once

namespace troupe_test {

/// "tune": reports `steps` losses, which come down to the distance of `lr` from 0.3, and saves a checkpoint after each
/// where `save` is true. What `trouble` names happens at report `at`, in the trial's first `times` processes, which
/// leave marks in the folder `marks`.
/// "tune nested": the same by a trainer of its own.
/// "tune cores": reports how many cores it has, and which is its first.
void register_tune_functions();

}  // namespace troupe_test
