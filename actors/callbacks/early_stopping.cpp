#include "actors/callbacks/better.hpp"
#include "runtime/invalid.hpp"

namespace troupe {
namespace {

class StopsEarly : public Callback {
 public:
  explicit StopsEarly(callbacks::EarlyStopping options) : options_(std::move(options)) {
    if (options_.patience < 1)
      throw_invalid("patience must be at least 1 report, but it is " + std::to_string(options_.patience));
    if (!(options_.least >= 0)) throw_invalid("least must not be negative");
  }

  void on_start(const RunStart& run) override {
    if (run.attempt > 1) return;
    best_.reset();
    since_best_ = 0;
  }
  void on_report(const Report& report) override {
    const auto value = metric_of(report, options_.metric);
    if (!value) return;
    if (improves(*value, best_, options_.better, options_.least)) {
      best_ = *value;
      since_best_ = 0;
    } else {
      ++since_best_;
    }
  }
  bool wants_to_stop() const override { return since_best_ >= options_.patience; }

 private:
  callbacks::EarlyStopping options_;
  std::optional<double> best_;
  int since_best_ = 0;
};

}  // namespace

std::shared_ptr<Callback> callbacks::early_stopping(const EarlyStopping& options) {
  return std::make_shared<StopsEarly>(options);
}

}  // namespace troupe
