#include "actors/driver/precision_notice.hpp"

#include <iostream>

namespace troupe {

void note_precision(Precision asked, Precision computed) {
  if (asked == Precision::bf16 && computed == Precision::f32)
    std::cerr << "troupe: the model has no bf16 on this machine, computing in f32\n" << std::flush;
}

}  // namespace troupe
