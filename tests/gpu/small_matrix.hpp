#pragma once

namespace troupe_test {

/// From now on networks of tests unfold their convolutions, as small ones do outside tests; until then cuDNN has them.
void unfold_convolutions();
/// Does so, and removes the argument, where the program's first one is "unfolded".
void take_unfolded(int& argc, char** argv);

}  // namespace troupe_test
