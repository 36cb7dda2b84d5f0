#include "bits/cases.hpp"

#include <bit>
#include <memory>
#include <utility>

#include "models/registry.hpp"
#include "runtime/arithmetic.hpp"
#include "runtime/hash.hpp"
#include "runtime/random.hpp"
#include "support/optimizers.hpp"
#include "troupe/data.hpp"

using namespace troupe;

namespace troupe_test {
namespace {

constexpr const char* kSmallImages = R"({"batch_size": 2, "data": "mock-images:32,10,64"})";
constexpr const char* kClothes = R"({"batch_size": 8})";

/// Returns a case with two workers and four shards.
Case of(std::string name, std::string model, std::string config) {
  Options options;
  options.num_workers = 2;
  options.num_shards = 4;
  options.verbose = false;
  options.compute.precision_check = false;
  options.config = std::move(config);
  edit(options)->learning_rate = 0.001;
  edit(options)->momentum = 0.9;
  return {std::move(name), std::move(model), std::move(options)};
}

/// Returns a case of the multilayer perceptron, which has cheap gradients. Calls `change` with its options.
template <class Change>
Case of_mlp(std::string name, const Change& change) {
  Case made = of(std::move(name), "mlp", kClothes);
  made.steps = 3;
  change(made.options);
  return made;
}

/// Returns cases of a small GPT, also with dropout and micro-batches. Its data are registered by
/// `register_data_of_cases`.
std::vector<Case> sequence_models() {
  const std::string config = R"({"batch_size": 3, "data": "drawn-tokens", "model_options": {"layers": 2, "heads": 2, )"
                             R"("width": 24, "window": 20)";
  return {of("model/gpt", "gpt", config + "}}"), of("model/gpt with dropout", "gpt", config + R"(, "dropout": 0.2}})"),
          of("model/gpt in micro-batches", "gpt", config + R"(, "dropout": 0.2}, "micro_batch": 2})")};
}

/// Returns whether workers run asynchronously. In this case it is nondeterministic which step reports their work.
bool tells_later(const Case& each) { return each.name == "algorithm/downpour" || each.name == "algorithm/ssp"; }

std::vector<Case> models() {
  std::vector<Case> all{of("model/linear", "linear", R"({"batch_size": 8})"),
                        of("model/softmax", "softmax", kClothes),
                        of("model/mlp", "mlp", kClothes),
                        of("model/cnn", "cnn", kClothes),
                        of("model/cnn-bn", "cnn-bn", kClothes),
                        of("model/tfbench", "tfbench", R"({"batch_size": 1})")};
  for (const char* depth : {"18", "34", "50", "101", "152"})
    all.push_back(of(std::string("model/resnet") + depth, std::string("resnet") + depth, kSmallImages));
  all.push_back(of("model/mlp with dropout", "mlp", R"({"batch_size": 8, "model_options": {"dropout": 0.5}})"));
  for (Case& each : all)
    if (each.model == "tfbench") {  // the model has large images
      each.options.num_shards = 2;
      each.steps = 1;
      edit(each.options)->learning_rate = 1e-6;
    }
  return all;
}

std::vector<Case> optimizers() {
  std::vector<Case> all;
  for (const char* kind : {"sgd", "adagrad", "adam", "adamw"})
    for (const bool more : {false, true})
      all.push_back(of_mlp(std::string("optimizer/") + kind + (more ? " with all options" : ""), [&](Options& options) {
        OptimizerSettings own{.kind = kind, .learning_rate = 0.002};
        set_optimizer(options, own);
        if (!more) return;
        if (std::string(kind) == "sgd") own.momentum = 0.9;
        own.nesterov = own.momentum > 0;
        own.weight_decay = 0.01;
        own.clip_norm = 0.1;
        own.schedule = {.kind = ScheduleKind::cosine, .warmup_steps = 2, .total_steps = 10};
        own.groups = {{.pattern = "*.bias", .weight_decay = 0, .learning_rate_factor = 2},
                      {.pattern = "1.*", .frozen = true}};
        set_optimizer(options, own);
      }));
  all.push_back(of_mlp("optimizer/step schedule", [](Options& options) {
    edit(options)->schedule = {.kind = ScheduleKind::step, .step_size = 1, .gamma = 0.5};
  }));
  return all;
}

std::vector<Case> algorithms() {
  const auto of_algorithm = [](const char* name, Algorithm algorithm) {
    return of_mlp(std::string("algorithm/") + name,
                  [&](Options& options) { options.algorithm = std::move(algorithm); });
  };
  std::vector<Case> all{of_algorithm("downpour", Downpour{.fetch_every = 2, .push_every = 2, .warm_start = 1}),
                        of_algorithm("ssp", Ssp()),
                        of_algorithm("ssp in step", Ssp{.staleness = 0}),
                        of_algorithm("local", LocalSgd{.steps = 3}),
                        of_algorithm("local with nesterov", LocalSgd{.steps = 2, .outer = OuterNesterov()}),
                        of_algorithm("lbfgs", Lbfgs{.history = 2, .full_batch = false}),
                        of_algorithm("lbfgs of portions", Lbfgs{.portions = 8})};
  for (Case& each : all) {
    if (tells_later(each)) {
      each.options.num_workers = 1;  // with one worker, the order of updates is deterministic
      edit(each.options)->learning_rate = 0.01;
    }
    if (each.name == "algorithm/local with nesterov") each.options.optimizer = AdamW{.learning_rate = 0.001};
    if (each.name == "algorithm/lbfgs of portions")
      each.options.config = R"({"batch_size": 0, "data": "mock-images:8,4,64"})";
  }
  return all;
}

std::vector<Case> strategies() {
  std::vector<Case> all;
  for (const Strategy strategy : {Strategy::automatic, Strategy::sharded, Strategy::driver})
    all.push_back(of_mlp(std::string("strategy/") + to_string(strategy),
                         [&](Options& options) { options.gradients.strategy = strategy; }));
  return all;
}

std::vector<Case> precisions() {
  std::vector<Case> all{of("precision/cnn in bf16", "cnn", kClothes),
                        of("precision/resnet18 in bf16", "resnet18", kSmallImages)};
  for (Case& each : all) each.options.compute.precision = Precision::bf16;
  return all;
}

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

void register_data_of_cases() {
  register_data("drawn-tokens", [](const std::string& /*arguments*/, std::uint64_t /*seed*/) {
    constexpr int kVocabulary = 1500;  // the loss of many classes has code of its own
    Random random(7);
    std::vector<std::vector<std::int32_t>> sequences(40, std::vector<std::int32_t>(20));
    for (auto& sequence : sequences)
      for (std::int32_t& token : sequence) token = static_cast<std::int32_t>(random.below(kVocabulary));
    return TrainingData{std::make_shared<const Dataset>(Dataset::sequences(sequences, {}, kVocabulary))};
  });
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& some : {models(), sequence_models(), optimizers(), algorithms(), strategies(), precisions()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::vector<Case> cases_of_clusters() {
  std::vector<Case> all;
  for (const Strategy strategy : {Strategy::hierarchical, Strategy::ring, Strategy::parameter_server})
    for (const bool deterministic : {true, false}) {
      if (strategy == Strategy::parameter_server && !deterministic) continue;
      const std::string name = std::string("strategy/") + to_string(strategy) + (deterministic ? "" : " in any order");
      all.push_back(of_mlp(name, [&](Options& options) {
        options.gradients.strategy = strategy;
        options.gradients.deterministic = deterministic;
        options.placement = Placement::cluster;
        options.num_workers = 3;  // the order of additions depends on the number of workers
        options.num_shards = 6;
      }));
    }
  return all;
}

std::string result_of(const Case& each) {
  DistributedSGD sgd(each.model, each.options);
  std::vector<std::byte> bytes;
  for (int step = 0; step < each.steps; ++step) {
    const StepReport report = sgd.step();
    if (tells_later(each)) continue;
    append(bytes, std::as_bytes(std::span(&report.loss, 1)));
    append(bytes, std::as_bytes(std::span(&report.samples, 1)));
  }
  const std::vector<float> weights = sgd.weights();
  append(bytes, std::as_bytes(std::span(weights)));
  return hex(checksum(bytes));
}

std::string machine_of(const Case& each) {
  ReplicaContext at;
  at.config = each.options.config;
  at.shards = {0};
  at.num_shards = each.options.num_shards;
  at.precision = each.options.compute.precision;
  const auto model = find_model(each.model)(at);
  const std::string text = arithmetic() + "; " + model->start(at).fingerprint;
  return hex(checksum(std::as_bytes(std::span(text))));
}

}  // namespace troupe_test
