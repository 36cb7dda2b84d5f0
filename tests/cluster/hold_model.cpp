#include "cluster/hold_model.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "actors/test_models.hpp"
#include "cluster/child.hpp"

using namespace troupe;
using namespace std::chrono_literals;

namespace troupe_test {
namespace {

/// A held model continues after this time, so that a failed test does not leave it blocked.
constexpr auto kLongestHold = kPatience;

Hold parse(const std::string& text) {
  Hold hold;
  std::istringstream(text) >> hold.size >> hold.phase >> hold.worker >> hold.step >> hold.folder;
  return hold;
}

void tell(const std::string& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder + "/" + name + ".new") << text;
  std::filesystem::rename(folder + "/" + name + ".new", folder + "/" + name);
}

class HoldModel : public NoiseModel {
 public:
  explicit HoldModel(Hold hold) : NoiseModel(hold.size), hold_(std::move(hold)) {}

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    if (std::this_thread::get_id() != made_by_)
      throw Error(ErrorCode::model_failed, "gradient is called by another thread than the one that made the model");
    step_ = at.step;
    if (at.step == hold_.step) hold("compute");
    return NoiseModel::gradient(at, weights, gradient);
  }
  void update_statistics(std::size_t /*begin*/, std::span<const float> mean, std::int64_t /*samples*/,
                         std::span<const float> statistics, std::span<float> updated) const override {
    if (step_ == hold_.step) hold("apply");
    // Stays small in any number of steps.
    for (std::size_t i = 0; i < mean.size(); ++i) updated[i] = 0.75F * statistics[i] + 0.5F * mean[i];
  }
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) override {
    if (at.step == hold_.step) hold("evaluate");
    return {static_cast<double>(weights[0]), at.shard, 10};
  }
  void to_canonical(std::span<const float> weights, std::span<float> canonical) const override {
    hold("weights");
    NoiseModel::to_canonical(weights, canonical);
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    worker_ = context.worker;
    hold("start");
    return {.size = hold_.size, .learned_size = hold_.size / 64 * 32};
  }

 private:
  void hold(const char* phase) const {
    if (phase != hold_.phase || worker_ != hold_.worker || held_) return;
    held_ = true;
    tell(hold_.folder, "held", std::to_string(::getpid()));
    comes_true([&] { return std::filesystem::exists(hold_.folder + "/go"); }, kLongestHold);
  }

  Hold hold_;
  std::thread::id made_by_ = std::this_thread::get_id();
  int worker_ = -1;
  std::int64_t step_ = -1;
  mutable bool held_ = false;
};

}  // namespace

std::string Hold::text() const {
  return std::to_string(size) + " " + phase + " " + std::to_string(worker) + " " + std::to_string(step) + " " + folder;
}

void register_hold_model() {
  register_model("hold",
                 [](const ReplicaContext& context) { return std::make_unique<HoldModel>(parse(context.config)); });
}

bool when_held(const std::string& folder, const std::function<void(pid_t)>& act) {
  if (!comes_true([&] { return std::filesystem::exists(folder + "/held"); }, kLongestHold)) return false;
  pid_t pid = 0;
  std::ifstream(folder + "/held") >> pid;
  act(pid);
  release(folder);
  return true;
}

void release(const std::string& folder) { tell(folder, "go", ""); }

}  // namespace troupe_test
