#pragma once

#include "troupe/model.hpp"

namespace troupe {

/// Says so in the log where bf16 was asked for and the replicas compute in f32.
void note_precision(Precision asked, Precision computed);

}  // namespace troupe
