#include "actors/repair/dying_model.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <sstream>

#include "actors/statistics_model.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

class DyingModel : public StatisticsModel {
 public:
  DyingModel(std::size_t size, std::vector<Death> deaths, std::string folder)
      : StatisticsModel(size / 64 * 32, size), deaths_(std::move(deaths)), folder_(std::move(folder)) {}

  BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
    step_ = at.step;
    die_in("compute");
    ++gradients_;
    return StatisticsModel::gradient(at, weights, gradient);
  }
  void update_statistics(std::size_t begin, std::span<const float> mean, std::int64_t samples,
                         std::span<const float> statistics, std::span<float> updated) const override {
    die_in("apply");
    StatisticsModel::update_statistics(begin, mean, samples, statistics, updated);
  }
  int gradients() const { return gradients_; }
  EvaluationResult evaluate(const ShardStep& at, std::span<const float> weights) override {
    step_ = at.step;
    die_in("evaluate");
    return {static_cast<double>(weights[0]), at.shard, 10};
  }

 protected:
  ModelInfo prepare(const ReplicaContext& context) override {
    worker_ = context.worker;
    if (!deaths_.empty() && !std::filesystem::is_empty(folder_)) die_in("start");
    return StatisticsModel::prepare(context);
  }

 private:
  void die_in(const char* phase) const {
    for (const Death& death : deaths_)
      if (death.phase == phase && death.worker == worker_ && death.step == step_ && is_first(death)) {
        ::kill(::getpid(), SIGKILL);
        for (;;) ::pause();
      }
  }

  bool is_first(const Death& death) const {
    const std::string mark =
        folder_ + "/" + death.phase + "-" + std::to_string(death.worker) + "-" + std::to_string(death.step);
    const int file = ::open(mark.c_str(), O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
  }

  std::vector<Death> deaths_;
  std::string folder_;
  int worker_ = -1;
  std::int64_t step_ = 0;
  int gradients_ = 0;
};

}  // namespace

std::string dying_config(std::size_t size, const std::vector<Death>& deaths, const std::string& folder) {
  std::string text = std::to_string(size) + " " + folder;
  for (const Death& death : deaths)
    text += " " + death.phase + " " + std::to_string(death.worker) + " " + std::to_string(death.step);
  return text;
}

void register_dying_model() {
  register_model_function("gradients so far", [](Model& model, std::span<const float> /*weights*/) {
    return std::to_string(dynamic_cast<DyingModel&>(model).gradients());
  });
  register_model("dying", [](const ReplicaContext& context) {
    std::istringstream text(context.config);
    std::size_t size = 0;
    std::string folder;
    text >> size >> folder;
    std::vector<Death> deaths;
    for (Death death; text >> death.phase >> death.worker >> death.step;) deaths.push_back(death);
    return std::make_unique<DyingModel>(size, deaths, folder);
  });
}

}  // namespace troupe_test
