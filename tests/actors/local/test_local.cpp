#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "actors/local/plain_local.hpp"
#include "actors/optimizers/grouped_model.hpp"
#include "actors/statistics_model.hpp"
#include "actors/test_models.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"

using namespace troupe;
using namespace troupe_test;

namespace {

/// Several thousand floats in tensors of odd sizes with padding between them, plus statistics.
constexpr const char* kLocalConfig = "4 64";

double falling_rate(std::int64_t step) { return 0.05 / (1 + 0.1 * static_cast<double>(step)); }

Options local(Placement placement, int workers, int shards, int steps) {
  Options options = quiet_options(placement, workers);
  options.algorithm = LocalSgd{.steps = steps};
  options.num_shards = shards;
  options.config = kLocalConfig;
  edit(options)->weight_decay = 0.1;
  edit(options)->learning_rate_at = falling_rate;
  return options;
}

void make_grouped(Options& options) { edit(options)->groups = {{"3.*", {}, 0.5}, {"*.bias", 0.0}}; }

/// Returns the settings that `make_grouped` gives to a float.
PlainLocal::Particular particular_of(const GroupedModel& model, std::size_t i) {
  const int tensor = model.tensor_of()[i];
  if (tensor / 2 == 3) return {0.1, 0.5};
  return {tensor % 2 == 1 ? 0 : 0.1, 1};
}

std::vector<float> run_local(const Options& options, int calls) {
  DistributedSGD sgd("grouped", options);
  for (int call = 0; call < calls; ++call) sgd.step();
  return sgd.weights();
}

std::vector<float> plain_run_of(const Options& options, int calls) {
  GroupedModel model(kLocalConfig);
  PlainLocal plain(model, options);
  if (!settings_of(options).groups.empty())
    plain.set_particular([&](std::size_t i) { return particular_of(model, i); });
  for (int call = 0; call < calls; ++call) plain.call();
  return plain.weights();
}

}  // namespace

TEST_CASE("local SGD equals plain loops bitwise, and its report describes the copies") {
  for (const char* kind : {"sgd", "momentum", "adamw"})
    for (const std::optional<OuterNesterov>& outer : {std::optional<OuterNesterov>(), {OuterNesterov()}})
      for (const int shards : {1, 4, 5})
        for (const int steps : {1, 3}) {
          CAPTURE(kind);
          CAPTURE(outer.has_value());
          CAPTURE(shards);
          CAPTURE(steps);
          Options options = local(Placement::in_process, std::min(shards, 2), shards, steps);
          const bool momentum = std::string(kind) == "momentum";
          edit(options)->kind = momentum ? "sgd" : kind;
          edit(options)->momentum = momentum ? 0.9 : 0;
          std::get<LocalSgd>(options.algorithm).outer = outer;
          GroupedModel model(kLocalConfig);
          PlainLocal plain(model, options);
          DistributedSGD sgd("grouped", options);
          for (int call = 1; call <= 3; ++call) {
            const StepReport report = sgd.step();
            plain.call();
            CHECK(report.step == call * steps);
            CHECK(report.algorithm == "local");
            CHECK(report.local.steps == steps);
            CHECK(report.local.drift == doctest::Approx(plain.drift()).epsilon(shards > 1 ? 1e-4 : 1e-3));
            CHECK(report.loss == doctest::Approx(plain.loss()).epsilon(1e-12));
            CHECK(report.samples == plain.samples());
            CHECK(report.learning_rate == falling_rate(report.step - 1));
            CHECK((report.local.drift > 0.01) == (shards > 1));
          }
          REQUIRE(sgd.weights() == plain.weights());
          CHECK(sgd.steps_done() == 3 * steps);
        }
}

TEST_CASE("copies of local SGD clip their own gradients and use the settings of tensor groups") {
  for (const char* kind : {"sgd", "adamw"})
    for (const double clip_norm : {0.0, 3.0, 1e6}) {
      CAPTURE(kind);
      CAPTURE(clip_norm);
      Options options = local(Placement::in_process, 3, 4, 3);
      edit(options)->kind = kind;
      options.gradients.clip_norm = clip_norm;
      make_grouped(options);
      const auto weights = run_local(options, 3);
      CHECK(weights == plain_run_of(options, 3));
      edit(options)->groups.clear();
      CHECK(weights != plain_run_of(options, 3));
    }
}

TEST_CASE("local SGD is bitwise identical for any number of workers, placement and devices") {
  Options plain = local(Placement::in_process, 1, 8, 3);
  edit(plain)->kind = "adamw";
  plain.gradients.clip_norm = 3;
  std::get<LocalSgd>(plain.algorithm).outer = OuterNesterov();
  make_grouped(plain);
  const auto expected = plain_run_of(plain, 3);
  for (const Placement placement : kPlacements)
    for (int workers = 1; workers <= 4; ++workers)
      for (const int devices : {1, 2}) {
        if (kSanitized && placement == Placement::processes && workers != 3) continue;
        CAPTURE(static_cast<int>(placement));
        CAPTURE(workers);
        CAPTURE(devices);
        Options options = plain;
        options.placement = placement;
        options.num_workers = workers;
        options.compute.devices_per_worker = devices;
        REQUIRE(run_local(options, 3) == expected);
      }
}

TEST_CASE("each copy of local SGD learns running statistics, and their mean is the new value") {
  /// Gives each shard at least two samples, because one sample has no variance.
  struct Shifted : StatisticsModel {
    using StatisticsModel::StatisticsModel;
    BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
      ShardStep shifted = at;
      shifted.shard = 3 * at.shard + 1 + at.shard % 2;
      return StatisticsModel::gradient(shifted, weights, gradient);
    }
  };
  for (const auto& [learned, size] : {std::pair<std::size_t, std::size_t>{32, 160}, {4'096, 8'192}, {96, 3'001}})
    for (const std::optional<OuterNesterov>& outer : {std::optional<OuterNesterov>(), {OuterNesterov()}}) {
      CAPTURE(size);
      Options options = local(Placement::in_process, 3, 5, 3);
      edit(options)->momentum = 0.9;
      std::get<LocalSgd>(options.algorithm).outer = outer;
      const std::size_t border = learned;
      const std::size_t floats = size;
      Shifted model(learned, size);
      PlainLocal plain(model, options);
      DistributedSGD sgd([=](int, int) { return std::make_unique<Shifted>(border, floats); }, options);
      for (int call = 0; call < 3; ++call) {
        plain.call();
        sgd.step();
      }
      REQUIRE(sgd.weights() == plain.weights());
    }
}

TEST_CASE("local SGD with one shard and one step is bitwise identical to synchronous SGD") {
  for (const char* kind : {"sgd", "adagrad", "adam", "adamw"}) {
    CAPTURE(kind);
    Options options = local(Placement::in_process, 1, 1, 1);
    edit(options)->kind = kind;
    options.gradients.clip_norm = 3;
    make_grouped(options);
    const auto weights = run_local(options, 4);
    options.algorithm = Synchronous();
    CHECK(weights == run_local(options, 4));
  }
}

TEST_CASE("a shard without samples keeps its weights, and the mean includes them") {
  struct Sparse : NoiseModel {
    Sparse() : NoiseModel(100) {}
    BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
      BatchResult result = NoiseModel::gradient(at, weights, gradient);
      const bool without = at.shard == 1 || (at.shard == 2 && at.step % 3 != 1);
      return without ? BatchResult{} : result;
    }
  };
  Options options = local(Placement::in_process, 2, 3, 3);
  edit(options)->momentum = 0.9;
  Sparse model;
  PlainLocal plain(model, options);
  DistributedSGD sgd([](int, int) { return std::make_unique<Sparse>(); }, options);
  for (int call = 0; call < 3; ++call) {
    CHECK(sgd.step().samples > 0);
    plain.call();
  }
  CHECK(sgd.weights() == plain.weights());

  struct Empty : NoiseModel {
    Empty() : NoiseModel(100) {}
    BatchResult gradient(const ShardStep&, std::span<const float>, std::span<float> gradient) override {
      std::ranges::fill(gradient, 0.0F);
      return {};
    }
  };
  DistributedSGD empty([](int, int) { return std::make_unique<Empty>(); }, options);
  CHECK(code_of([&] { empty.step(); }) == ErrorCode::bad_data);
}

TEST_CASE("a warm-up of local SGD changes nothing") {
  Options options = local(Placement::in_process, 2, 4, 3);
  edit(options)->momentum = 0.9;
  std::get<LocalSgd>(options.algorithm).outer = OuterNesterov();
  DistributedSGD sgd("grouped", options);
  sgd.warmup();
  sgd.step();
  sgd.warmup();
  sgd.step();
  CHECK(sgd.weights() == plain_run_of(options, 2));
  CHECK(sgd.steps_done() == 6);
}

TEST_CASE("a copy that is not finite is refused with an error that names shard and tensor, and nothing changes") {
  struct Once : GroupedModel {
    Once(double loss, float gradient) : GroupedModel(kLocalConfig), loss_(loss), gradient_(gradient) {}
    BatchResult gradient(const ShardStep& at, std::span<const float> weights, std::span<float> gradient) override {
      BatchResult result = GroupedModel::gradient(at, weights, gradient);
      if (at.shard != 2 || at.step != 4 || done_) return result;
      done_ = true;
      result.loss_sum += loss_;
      gradient[static_cast<std::size_t>(std::ranges::find(tensor_of(), 3) - tensor_of().begin())] += gradient_;
      return result;
    }
    double loss_;
    float gradient_;
    bool done_ = false;
  };
  const auto fails = [](double loss, float gradient, ErrorCode code) {
    Options options = local(Placement::in_process, 2, 4, 3);
    edit(options)->momentum = 0.9;
    std::get<LocalSgd>(options.algorithm).outer = OuterNesterov();
    DistributedSGD sgd([=](int, int) { return std::make_unique<Once>(loss, gradient); }, options);
    sgd.step();
    const auto weights = sgd.weights();
    try {
      sgd.step();
      FAIL("a step with a non-finite copy succeeded");
    } catch (const Error& error) {
      CHECK(error.code() == code);
      CHECK(error.message().find("shard 2") != std::string::npos);
      CHECK(error.where().worker == 1);
      if (code == ErrorCode::non_finite_weights) CHECK(error.where().object == "tensor '1.bias'");
    }
    CHECK(sgd.weights() == weights);
    CHECK(sgd.steps_done() == 3);
    sgd.step();
    CHECK(sgd.weights() == plain_run_of(options, 2));
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  fails(0, static_cast<float>(kNan), ErrorCode::non_finite_weights);
  fails(0, std::numeric_limits<float>::infinity(), ErrorCode::non_finite_weights);
  fails(kNan, 0, ErrorCode::non_finite_loss);
  fails(std::numeric_limits<double>::infinity(), 0, ErrorCode::non_finite_loss);
}

TEST_CASE("invalid options of local SGD are refused") {
  const auto code = [](auto change) {
    Options options = local(Placement::in_process, 2, 4, 3);
    change(options);
    return code_of([&] { DistributedSGD("grouped", options); });
  };
  CHECK_FALSE(code([](Options&) {}));
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.steps = 0}; }) == ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.steps = 10'001}; }) == ErrorCode::invalid_argument);
  CHECK_FALSE(code([](Options& o) { o.algorithm = LocalSgd{.steps = 10'000}; }));
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.outer = OuterNesterov{.momentum = 1}}; }) ==
        ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.outer = OuterNesterov{.momentum = -0.1}}; }) ==
        ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.outer = OuterNesterov{.momentum = std::nan("")}}; }) ==
        ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.outer = OuterNesterov{.learning_rate = -1}}; }) ==
        ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.algorithm = LocalSgd{.outer = OuterNesterov{.learning_rate = std::nan("")}}; }) ==
        ErrorCode::invalid_argument);
  CHECK(code([](Options& o) { o.gradients.strategy = Strategy::driver; }) == ErrorCode::unsupported);
  CHECK(code([](Options& o) { o.fault_tolerance.backup_workers = 1; }) == ErrorCode::unsupported);
  Options options = local(Placement::in_process, 2, 4, 3);
  DistributedSGD sgd("grouped", options);
  CHECK(code_of([&] { sgd.use(LocalSgd{.steps = 0}); }) == ErrorCode::invalid_argument);
  sgd.step();
  CHECK(sgd.weights() == plain_run_of(options, 1));
}
