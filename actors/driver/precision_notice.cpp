#include "actors/driver/precision_notice.hpp"

#include "runtime/log.hpp"

namespace troupe {

void note_precision(Precision asked, Precision computed) {
  if (asked == Precision::bf16 && computed == Precision::f32)
    log_line(LogLevel::warning, "the model has no bf16 on this machine, computing in f32");
}

}  // namespace troupe
