#include "mutation/scenarios.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "actors/driver/driver.hpp"
#include "actors/spoiled_model.hpp"
#include "actors/test_models.hpp"
#include "actors/trainer/trainer_run.hpp"
#include "actors/trainer/worker_pool.hpp"
#include "support/algorithms.hpp"
#include "support/optimizers.hpp"
#include "troupe/trainer.hpp"

namespace troupe_test {

using namespace troupe;

namespace {

template <class T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string content_of(const std::string& folder) {
  std::string content;
  for (const auto& [name, bytes] : files_in(folder)) content += name + ":" + bytes;
  return content;
}

std::string bytes_of(Driver& driver) {
  std::string bytes;
  driver.state().read_weights([&](std::span<const float> weights) {
    bytes.assign(reinterpret_cast<const char*>(weights.data()), weights.size_bytes());
  });
  return bytes;
}

Options base_options(const Circumstances& at) {
  if (at.start_nodes) at.start_nodes();
  Options options = quiet_options(Placement::cluster, at.cluster.num_nodes);
  options.cluster = at.cluster;
  options.num_shards = at.another ? 6 : 4;
  options.seed = at.another ? 77 : 1;
  options.config = at.another ? "5000" : "3000";
  options.timeouts.step = options.timeouts.start = options.timeouts.evaluate = at.timeout;
  options.timeouts.save = options.timeouts.call = at.timeout;
  return options;
}

/// Appends the results of a step except times.
void append(std::string& to, const StepReport& report) {
  append(to, report.step);
  append(to, report.loss);
  append(to, report.gradient_norm);
  append(to, report.samples);
  append(to, report.correct);
}

std::string train(const Circumstances& at, const char* model, const Options& options, int steps) {
  Driver driver(model, options, at.make_runtime);
  std::string bytes;
  for (int step = 0; step < steps; ++step) append(bytes, driver.step());
  return bytes + bytes_of(driver);
}

std::string train_synchronously(const Circumstances& at) {
  Options options = base_options(at);
  edit(options)->momentum = 0.9;
  options.gradients.clip_norm = 0.5;
  options.fault_tolerance.copy_every = 1;
  return train(at, "noise", options, 2);
}

/// Loses a node, and continues from the copies of the state that the nodes keep.
std::string lose_a_node(const Circumstances& at) {
  Options options = base_options(at);
  edit(options)->momentum = 0.9;
  options.fault_tolerance.copy_every = 1;
  options.fault_tolerance.max_failures = 3;
  options.fault_tolerance.faults = {testing::CutNode{.node = 1, .step = 3}};
  return train(at, "noise", options, 4);
}

/// Replays the record of the first run, so that the order is deterministic.
std::string train_by_downpour(const Circumstances& at) {
  Options options = base_options(at);
  options.algorithm = Downpour{.fetch_every = 2, .push_every = 2};
  const std::string record = std::filesystem::path(at.folder).parent_path() / "downpour.record";
  (at.another || !std::filesystem::exists(record) ? record_of(options) : replay_of(options)) =
      at.another ? at.folder + "/record" : record;
  // Reports of steps depend on the messages that have arrived by then, which the record does not determine.
  Driver driver("noise", options, at.make_runtime);
  for (int step = 0; step < 3; ++step) driver.step();
  return bytes_of(driver);
}

std::string train_locally(const Circumstances& at) {
  Options options = base_options(at);
  options.algorithm = LocalSgd{.steps = 2, .outer = OuterNesterov()};
  edit(options)->momentum = 0.9;
  return train(at, "noise", options, 2);
}

std::string train_by_lbfgs(const Circumstances& at) {
  Options options = base_options(at);
  options.algorithm = Lbfgs{.portions = options.num_shards};
  options.config = at.another ? "logistic 2112 8 3" : "logistic 2048 6 2";
  return train(at, "smooth", options, 3);
}

void append(std::string& to, const Evaluation& evaluation) {
  append(to, evaluation.loss);
  append(to, evaluation.accuracy);
  append(to, evaluation.samples);
  append(to, evaluation.top_k_accuracy.value_or(-1));
  for (const std::int64_t each : evaluation.confusion) append(to, each);
  for (const NamedMetric& each : evaluation.metrics) {
    to += each.name;
    append(to, each.value);
  }
  append(to, evaluation.all_targets.mse);
  append(to, evaluation.all_targets.mae);
}

std::string evaluate(const Circumstances& at) {
  Options options = base_options(at);
  options.config = R"({"batch_size": 2, "data": "measured-classes", "metrics": ["own-output", "brier-score"]})";
  Driver driver("mlp", options, at.make_runtime);
  std::string bytes;
  for (const EvaluationSet set : {EvaluationSet::test, EvaluationSet::validation})
    append(bytes, driver.evaluate(set, {.confusion = true, .top_k = 3, .errors = false}));
  return bytes;
}

std::string evaluate_targets(const Circumstances& at) {
  Options options = base_options(at);
  options.config = R"({"batch_size": 2, "data": "measured-targets"})";
  Driver driver("mlp", options, at.make_runtime);
  std::string bytes;
  append(bytes, driver.evaluate(EvaluationSet::test, {.errors = true}));
  return bytes;
}

/// Returns the error and its node. @throws the exception of `run` if it differs from the expected one
template <class Run>
std::string refused(ErrorCode code, const std::string& node, const Run& run) {
  try {
    run();
  } catch (const Error& error) {
    if (error.code() == code && error.where().node == node) return std::string(to_string(code)) + " on " + node;
    throw;
  }
  return "no error was thrown";
}

/// Makes one gradient of shard 1 non-finite, in slices of other nodes. Both the nodes that sum the gradient and those
/// that forward sums are asked for its origin.
std::string find_non_finite(const Circumstances& at) {
  std::string bytes;
  for (const auto& [strategy, tensor] : {std::pair{Strategy::hierarchical, "d"}, {Strategy::ring, "c"}}) {
    Options options = base_options(at);
    options.gradients.strategy = strategy;
    options.config = Spoil{.tensors = tensor, .value = "inf", .times = 1, .step = 1}.text();
    Driver driver("spoiled", options, at.make_runtime);
    append(bytes, driver.step());
    bytes += refused(ErrorCode::non_finite_weights, at.another ? "node0" : "node1", [&] { driver.step(); });
    append(bytes, driver.step());
    bytes += bytes_of(driver);
  }
  return bytes;
}

/// Calls functions on replicas and workers, and sets weights.
std::string call_functions(const Circumstances& at) {
  Options options = base_options(at);
  edit(options)->momentum = 0.9;
  Driver driver("noise", options, at.make_runtime);
  std::string bytes;
  for (const Json& each : driver.call_model("echo", "an argument", false)) bytes += each.dump();
  for (const Json& each : driver.call_worker("echo", "another")) bytes += each.dump();
  std::vector<float> weights(bytes_of(driver).size() / sizeof(float), 0.5F);
  driver.state().set_weights(weights);
  append(bytes, driver.step());
  return bytes + bytes_of(driver);
}

/// Saves checkpoints, and resumes a run from them.
std::string save_and_resume(const Circumstances& at) {
  Options options = base_options(at);
  edit(options)->momentum = 0.9;
  options.checkpoint.folder = at.folder + "/checkpoints";
  options.fault_tolerance.max_failures = 2;
  std::string bytes;
  {
    Driver driver("noise", options, at.make_runtime);
    append(bytes, driver.step());
    driver.files().checkpoint({});
    append(bytes, driver.step());
    driver.files().checkpoint({});
  }
  options.checkpoint.resume = true;
  if (at.start_nodes) at.start_nodes();
  Driver driver("noise", options, at.make_runtime);
  append(bytes, driver.step());
  driver.files().save(at.folder + "/state");
  return bytes + bytes_of(driver) + content_of(options.checkpoint.folder) + content_of(at.folder + "/state");
}

/// Adds, reports and saves, and resumes from an earlier checkpoint.
Json train_a_little(const Json& config) {
  const auto before = here().load_checkpoint();
  std::vector<double> sums{here().rank() + 1.0, config.at("rate").get<double>(),
                           before ? before->tensors[0].values[0] : 0.0};
  here().all_reduce(std::span(sums));
  here().report({{"sum", sums[0]}});
  here().save_checkpoint({{"epoch", 1}}, {{"sums", {2}, {static_cast<float>(sums[0]), static_cast<float>(sums[2])}}});
  return {{"sums", sums}, {"config", config}, {"size", here().world_size()}, {"node", here().node()}};
}

/// Throws on the last rank while the others wait for it.
Json fail_on_one(const Json& /*config*/) {
  if (here().rank() + 1 == here().world_size()) throw std::runtime_error("as it was told");
  std::vector<double> sums{1};
  here().all_reduce(std::span(sums));
  return sums;
}

TrainerOptions trainer_options(const Circumstances& at) {
  TrainerOptions options;
  options.num_workers = at.cluster.num_nodes;
  options.placement = Placement::cluster;
  options.cluster = at.cluster;
  options.seed = at.another ? 77 : 1;
  options.fault_tolerance.max_failures = 0;
  options.timeouts.start = options.timeouts.collective = options.timeouts.stop = at.timeout;
  return options;
}

std::string run_functions(const Circumstances& at) {
  if (at.start_nodes) at.start_nodes();
  const auto pool = std::make_shared<WorkerPool>(trainer_options(at), at.make_runtime);
  const auto memory = std::make_shared<TrainerMemory>();
  std::string bytes;
  for (const double rate : {0.5, 0.25}) {
    RunHandle::Impl::Request request;
    request.name = "train a little";
    request.config = {{"rate", at.another ? 2 * rate : rate}};
    request.options.checkpoints.folder = at.folder + "/trainer";
    request.options.checkpoints.resume = std::filesystem::exists(request.options.checkpoints.folder);
    RunHandle::Impl running(pool, memory, std::move(request));
    while (const auto report = running.next()) bytes += report->metrics.dump();
    for (const TaskResult& each : running.returns()) bytes += each.json.dump();
  }
  return bytes + content_of(at.folder + "/trainer");
}

std::string stop_functions(const Circumstances& at) {
  if (at.start_nodes) at.start_nodes();
  const auto pool = std::make_shared<WorkerPool>(trainer_options(at), at.make_runtime);
  RunHandle::Impl::Request request;
  request.name = "fail on one";
  RunHandle::Impl running(pool, std::make_shared<TrainerMemory>(), std::move(request));
  return refused(ErrorCode::model_failed, "node1", [&] {
    while (running.next()) {
    }
  });
}

}  // namespace

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{{"synchronous", 2, train_synchronously},
                                         {"not finite", 3, find_non_finite},
                                         {"lost node", 3, lose_a_node},
                                         {"downpour", 2, train_by_downpour},
                                         {"local", 2, train_locally},
                                         {"lbfgs", 2, train_by_lbfgs},
                                         {"evaluation", 2, evaluate},
                                         {"targets", 2, evaluate_targets},
                                         {"functions", 2, call_functions},
                                         {"checkpoint", 2, save_and_resume},
                                         {"trainer", 2, run_functions},
                                         {"stopped trainer", 2, stop_functions}};
  return all;
}

void register_scenarios() {
  register_function("train a little", train_a_little);
  register_function("fail on one", fail_on_one);
}

Files files_in(const std::string& folder) {
  Files files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[std::filesystem::relative(entry.path(), folder)].assign(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

}  // namespace troupe_test
