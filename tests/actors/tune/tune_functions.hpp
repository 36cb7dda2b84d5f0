#pragma once

namespace troupe_test {

/// Registers these functions:
/// "tune": reports `steps` losses, which approach the distance of `lr` from 0.3. If `save` is true, saves a checkpoint
/// after each report. Fails as `trouble` specifies at report `at`, in the first `times` processes of the trial, which
/// leave marks in the folder `marks`.
/// "tune nested": runs the same in a trainer of its own.
/// "tune cores": reports its number of cores and its first core.
void register_tune_functions();

}  // namespace troupe_test
