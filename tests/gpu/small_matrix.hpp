#pragma once

namespace troupe_test {

/// Makes networks of tests unfold their convolutions from now on, as small ones do outside tests. Before, they use
/// cuDNN.
void unfold_convolutions();
/// If the first argument of the program is "unfolded", removes it and calls `unfold_convolutions`.
void take_unfolded(int& argc, char** argv);

}  // namespace troupe_test
