#include <optional>

#include "actors/callbacks/begun.hpp"
#include "actors/callbacks/event_file.hpp"
#include "runtime/printable.hpp"
#include "troupe/callback.hpp"

namespace troupe {
namespace {

class TensorBoard : public Callback {
 public:
  explicit TensorBoard(std::string folder) : folder_(std::move(folder)) {}

  /// Creates a new event file for each run. If a run is retried (`run.attempt` > 1), the run continues to write its
  /// file.
  void on_start(const RunStart& run) override {
    if (run.attempt == 1 || !file_) file_.emplace(folder_);
  }

  void on_report(const Report& report) override {
    std::vector<Scalar> scalars;
    for (const auto& [name, value] : report.metrics.items())
      if (value.is_number()) scalars.emplace_back(printable(name), value.get<float>());
    if (!scalars.empty()) begun(file_).write(report.iteration, scalars);
  }

 private:
  std::string folder_;
  std::optional<EventFile> file_;
};

}  // namespace

std::shared_ptr<Callback> callbacks::tensorboard(const std::string& folder) {
  return std::make_shared<TensorBoard>(folder);
}

}  // namespace troupe
