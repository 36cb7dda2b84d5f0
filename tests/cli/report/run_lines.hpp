#pragma once

#include <string>

namespace troupe_test {

/// Returns a report's line for one step that took 0.1 s and trained on 50 samples.
inline std::string step_line(int step, double loss, const std::string& repairs = "[]") {
  return R"({"step":)" + std::to_string(step) + R"(,"loss":)" + std::to_string(loss) +
         R"(,"samples":50,"strategy":"tree","precision":"f32","algorithm":"synchronous","repairs":)" + repairs +
         R"(,"seconds":{"step":0.1,"compute_all":0.06,"reduce":0.02,"apply_all":0.01}})" + "\n";
}

inline std::string epoch_line(int epoch, int step, double accuracy) {
  return R"({"epoch":)" + std::to_string(epoch) + R"(,"step":)" + std::to_string(step) +
         R"(,"samples":500,"loss":0.5,"learning_rate":0.1,"seconds":1,"samples_per_second":500,)" +
         R"("test":{"loss":0.6,"accuracy":)" + std::to_string(accuracy) + R"(,"samples":20}})" + "\n";
}

}  // namespace troupe_test
