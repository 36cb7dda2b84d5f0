#include "cli/run_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "actors/algorithms/known_algorithms.hpp"
#include "actors/driver/forming/precision_decision.hpp"
#include "cli/config/model_option_flag.hpp"
#include "cli/train/options/fault_text.hpp"
#include "collectives/plan/strategy.hpp"
#include "models/data/pipeline/folds.hpp"
#include "models/optimizers/registry.hpp"
#include "models/registry.hpp"
#include "runtime/http/disk_cache.hpp"
#include "runtime/invalid.hpp"
#include "runtime/printable.hpp"
#include "runtime/suggestion.hpp"

namespace troupe::cli {
namespace {

constexpr std::int64_t kPassOfFullBatch =
    500;  ///< if the batch is the whole shard: number of samples of each pass of the network

std::chrono::milliseconds to_milliseconds(double seconds, const char* name) {
  if (!(seconds > 0 && seconds <= 1e6))
    throw Error(ErrorCode::invalid_argument, std::string(name) + " must be more than 0 and at most 1000000 seconds");
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

std::string in_seconds(std::chrono::milliseconds time) {
  return short_text(std::chrono::duration<double>(time).count());
}

template <class Find>
CLI::Validator known_to(Find find, const char* what) {
  const auto check = [find](const std::string& name) -> std::string {
    try {
      find(name);
      return "";
    } catch (const Error& error) {
      return error.message();
    }
  };
  return {check, "NAME", what};
}

/// Returns `text` unchanged, after a check that it is printable. The command passes such texts to models as JSON.
/// @param option the option for the error message, such as "--data"
/// @throws Error invalid_argument if the text is not printable
std::string plain_text(const char* option, const std::string& text) {
  if (!is_printable(text)) throw_invalid(std::string(option) + " '" + printable(text) + "' is not plain text");
  return text;
}

int parse_count(const std::string& text, const std::string& whole) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size())
    throw CLI::ValidationError("--workers", printable(whole) + " is neither a number nor MIN:MAX");
  return number;
}

WorkerCount parse_workers(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return parse_count(text, text);
  const std::string most = text.substr(colon + 1);
  const WorkerCount range{parse_count(text.substr(0, colon), text), most.empty() ? 0 : parse_count(most, text)};
  if (!most.empty() && range.max < 1) throw CLI::ValidationError("--workers", printable(text) + " allows no workers");
  return range;
}

/// Parses the value of --nodes: a number of nodes such as "3", or the minimum number and the number such as "2:3". Sets
/// `min_nodes` and `num_nodes` of `cluster`. Returns false for an invalid text.
bool parse_nodes(const std::string& text, ClusterOptions& cluster) {
  const auto colon = text.find(':');
  const std::string least = colon == std::string::npos ? text : text.substr(0, colon);
  const std::string most = colon == std::string::npos ? text : text.substr(colon + 1);
  return CLI::detail::lexical_cast(least, cluster.min_nodes) && CLI::detail::lexical_cast(most, cluster.num_nodes) &&
         cluster.min_nodes >= 1 && cluster.num_nodes >= cluster.min_nodes;
}

CLI::Validator registered_model() { return known_to(find_model, "registered model"); }

}  // namespace

bool CommandOptions::learns_squares(const Evaluation& evaluation) const {
  return !evaluation.targets.empty() && (!loss || *loss == "mean-squared-error");
}

bool CommandOptions::has_fold() const { return data && data->starts_with(data::kFoldPrefix); }

std::string short_text(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", value);
  return text.data();
}

CLI::Option* add_seconds(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text) {
  return app
      .add_option_function<double>(
          flag, [&time, flag](double seconds) { time = to_milliseconds(seconds, flag); }, text)
      ->default_str(in_seconds(time));
}

CLI::Option* add_limit(CLI::App& app, const char* flag, std::chrono::milliseconds& time, const char* text) {
  return app
      .add_option_function<double>(
          flag,
          [&time, flag](double seconds) {
            time = seconds == 0 ? std::chrono::milliseconds(0) : to_milliseconds(seconds, flag);
          },
          text)
      ->default_str(in_seconds(time));
}

CLI::Validator one_of(std::vector<std::string> words) {
  std::string set;
  for (const std::string& word : words) set += (set.empty() ? "{" : ",") + word;
  set += "}";
  const auto check = [words = std::move(words), set](const std::string& text) -> std::string {
    if (std::ranges::find(words, text) != words.end()) return "";
    return "'" + printable(text) + "' is not in " + set + did_you_mean(text, words);
  };
  return {check, set, "one of"};
}

CLI::Validator registered_optimizer() { return known_to(find_optimizer, "registered optimizer"); }

CLI::Validator whole_number(std::uint64_t least) {
  const auto check = [least](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && number >= least ? "" : text + " is not a whole number from " + std::to_string(least) + " on";
  };
  return {check, least > 0 ? "POSITIVE" : "NONNEGATIVE", "whole number"};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) { return std::string(text.empty() ? "the text must not be empty" : ""); }, "",
          "not empty"};
}

Placement parse_placement(const std::string& name) {
  if (name == "cluster") return Placement::cluster;
  return name == "processes" ? Placement::processes : Placement::in_process;
}

namespace {

/// Parses the value of --device, which is "cpu", "cuda" or "cuda:N".
void choose_device(const std::string& text, Device& device, int& number) {
  const std::string cuda = "cuda";
  device = text == "cpu" ? Device::cpu : Device::cuda;
  number = -1;
  if (text == "cpu" || text == cuda) return;
  const char* const end = text.data() + text.size();
  const bool numbered = text.starts_with(cuda + ':');
  const char* const begin = text.data() + (numbered ? cuda.size() + 1 : text.size());
  const auto [last, error] = std::from_chars(begin, end, number);
  if (!numbered || begin == end || last != end || error != std::errc() || number < 0)
    throw CLI::ValidationError("--device", "'" + text + "' is not cpu, cuda or cuda:N");
}

Precision parse_precision(const std::string& name) { return name == "bf16" ? Precision::bf16 : Precision::f32; }

void add_tf32(CLI::App& app, bool& tf32) {
  app.add_flag("--tf32", tf32, "Round the factors of f32 products to TensorFloat-32 on CUDA devices: faster");
}

}  // namespace

void add_predictor_options(CLI::App& app, PredictorOptions& options) {
  app.add_option_function<std::string>(
         "--device", [&](const std::string& text) { choose_device(text, options.device, options.device_number); },
         "Device of the network: cpu, cuda (the first CUDA device), or one that `troupe devices` lists, such as cuda:0")
      ->default_str("cpu");
  add_tf32(app, options.tf32);
  app.add_option_function<std::string>(
         "--precision", [&](const std::string& name) { options.precision = parse_precision(name); },
         "Number format, if the device supports it: f32 or bf16")
      ->check(one_of({"f32", "bf16"}))
      ->default_str("f32");
}

void add_data_cache(CLI::App& app) {
  app.add_option_function<std::string>(
         "--data-cache", [](const std::string& value) { ::setenv(kDataCache, value.c_str(), 1); },
         "Folder on this machine for parts of data on servers, and its size, such as /var/cache/data,200G")
      ->type_name("DIR,SIZE");
}

void add_worker_options(CLI::App& app, Options& sgd, std::string& placement) {
  app.add_option_function<std::string>(
         "--workers", [&sgd](const std::string& text) { sgd.num_workers = parse_workers(text); },
         "Number of workers; with MIN:MAX, or MIN: and --shards, it follows the usable cores")
      ->default_str(std::to_string(sgd.num_workers.min))
      ->type_name("N|MIN:MAX");
  app.add_option_function<std::string>(
         "--device",
         [&sgd](const std::string& text) { choose_device(text, sgd.compute.device, sgd.compute.device_number); },
         "Device of the replicas: cpu, cuda (all CUDA devices of a machine in turn), or one of those "
         "that `troupe devices` lists, such as cuda:0")
      ->default_str("cpu");
  add_tf32(app, sgd.compute.tf32);
  app.add_option("--devices-per-worker", sgd.compute.devices_per_worker, "Model replicas per worker");
  app.add_option("--placement", placement,
                 "Where workers run: threads of this process, processes of this machine, or nodes that join")
      ->check(one_of({"in-process", "processes", "cluster"}));
  app.add_option_function<std::string>(
         "--strategy", [&sgd](const std::string& name) { sgd.gradients.strategy = strategy_of(name); },
         "How gradients are added. On one machine: each worker its slice (sharded), or all by the driver (driver); "
         "among nodes: hierarchical, ring or parameter-server; auto: sharded or hierarchical")
      ->check(one_of({kStrategyNames.begin(), kStrategyNames.end()}))
      ->default_str(to_string(sgd.gradients.strategy));
  app.add_flag("!--any-order", sgd.gradients.deterministic,
               "Let nodes add in ring order: fewer bytes for some shapes, but not bitwise equal to other runs");
  app.add_option("--slice-owners", sgd.gradients.slice_owners, "parameter-server: nodes that own slices; 0: all")
      ->check(whole_number(0));
  app.add_option("--listen", sgd.cluster.listen, "cluster: ADDRESS:PORT where nodes join");
  app.add_option(
         "--nodes", [&sgd](const CLI::results_t& text) { return parse_nodes(text.front(), sgd.cluster); },
         "cluster: number of nodes, such as 3; or, such as 2:4, a range. The run starts with the minimum, and "
         "nodes join and leave it between steps")
      ->default_str(std::to_string(sgd.cluster.num_nodes))
      ->type_name("[LEAST:]NODES");
  app.add_option("--certs", sgd.cluster.certs, "cluster: folder of the driver's certificate (see `troupe certs`)");
  app.add_flag("--shared-certs", sgd.cluster.shared_certificates,
               "cluster: several nodes may use the same certificate");
  app.add_option("--streams", sgd.cluster.streams, "cluster: data connections from each node to each other")
      ->check(whole_number(1));
  app.add_option("--data-memory", sgd.memory.data_bytes,
                 "Memory limit for data on each machine, such as 500M; 0: half of it. Larger sets stay in their files")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/true));
  add_data_cache(app);
  app.add_option("--store-bytes", sgd.memory.store_bytes, "Quota of the object store in bytes; 0: half of the memory")
      ->check(whole_number(0));
}

void CommandOptions::add_to(CLI::App& app) {
  said_model_ = app.add_option("--model", model,
                               "Default: the network in the file of --load, else cnn. Built in are linear, softmax, "
                               "mlp, cnn, cnn-bn, gpt, resnet18, resnet34, resnet50, resnet101, resnet152 or tfbench "
                               "(ResNet-101 on a fixed batch of mock images per shard)")
                    ->check(registered_model());
  app.add_option("--model-option", model_options,
                 "A number that replaces a default of --model, as hidden=256; may be repeated. mlp: hidden, layers, "
                 "dropout; cnn, cnn-bn: channels, hidden, dropout; gpt: layers, heads, width, window, dropout; "
                 "ResNets: width")
      ->default_str("")
      ->type_name("NAME=NUMBER")
      ->allow_extra_args(false)
      ->each([](const std::string& text) { parse_model_option(text); });
  app.add_option(
      "--data", data,
      "fashion-mnist[:DIR], cifar10:DIR, synthetic-linear, mock-images[:SIZE[,CLASSES[,IMAGES]]], "
      "images:DIR, csv:FILE, text:FILE, tar:PATTERN, npy:IMAGES,LABELS, npz:FILE, idx:IMAGES,LABELS, each with "
      "options such as test=FILE, or fold:I/K:DATA, see docs/data.md; default: by the model, fashion-mnist, "
      "synthetic-linear for linear, mock-images for ResNets");
  app.add_option("--validate", validate,
                 "Data to evaluate after each epoch instead of the test set, which is kept for the end: a share of the "
                 "training set, such as 0.1, a fold of it, such as fold:2/5, or the name of other data");
  app.add_option(
      "--transform", transform,
      "Transforms of each sample, such as 'crop 28 2, flip, normalise': colour AMOUNT, crop SIDE [PADDING], "
      "cutout SIDE, flip, intercept, normalise [MEAN... DEVIATION...], resize HEIGHT [WIDTH], rotate DEGREES; random "
      "ones apply in training only. Default: the transforms in the file of --load; '': none");
  app.add_option(
      "--loss", loss,
      "softmax-cross-entropy (of classes), mean-squared-error or sigmoid-cross-entropy (of targets); default: "
      "the first that fits the data; linear, softmax and tfbench take none");
  app.add_option("--metric", metrics,
                 "A metric of evaluations beside loss and accuracy: brier-score (of classes), or one that a program "
                 "has registered; may be repeated")
      ->default_str("")
      ->allow_extra_args(false);
  said_batch_size_ = app.add_option("--batch-size", batch_size,
                                    "Samples per shard and step, default 64; 0: the whole shard. lbfgs: per shard "
                                    "and line search, default all samples")
                         ->default_str("")
                         ->check(whole_number(0));
  app.add_option("--micro-batch", micro_batch,
                 "Samples of a shard that are computed at a time, to save memory; the result depends on it; 0: all")
      ->check(whole_number(0));
  add_worker_options(app, sgd, placement);
  algorithm.add_to(app);
  app.add_option("--shards", sgd.num_shards, "Data shards of the run; 0: one per replica. The result depends on it")
      ->check(whole_number(0));
  app.add_option("--seed", sgd.seed, "Seed of first weights, data order and random data")->check(whole_number(0));
  app.add_option("--precision", precision, "Number format, if model and machine support it: f32 or bf16")
      ->check(one_of({"f32", "bf16"}));
  app.add_flag("!--no-precision-check", sgd.compute.precision_check,
               "Use bf16 even if a measurement at the start shows that f32 is clearly faster");
  app.add_option(
      "--load", load,
      "Start with the weights of this safetensors file, of a checkpoint, or of the newest checkpoint in a folder");
  app.add_option("--max-failures", sgd.fault_tolerance.max_failures,
                 "Lost workers per hour that the run replaces; it then repeats the step")
      ->check(whole_number(0));
  app.add_option("--copy-every", sgd.fault_tolerance.copy_every,
                 "cluster: steps between copies of the state in other nodes' memory; 0: as often as 3% of the time "
                 "allows; -1: no copies")
      ->check(CLI::Range(-1, 1'000'000'000));
  app.add_option_function<std::string>(
         "--restart",
         [this](const std::string& name) {
           sgd.fault_tolerance.restart = name == "redistribute" ? Restart::redistribute : Restart::respawn;
         },
         "What takes over the shards of a lost worker: a new worker (respawn), or the other workers")
      ->default_str("respawn")
      ->check(one_of({"respawn", "redistribute"}));
  app.add_option("--backup-workers", sgd.fault_tolerance.backup_workers,
                 "Stragglers that a step may leave out; others do their part. Results stay bitwise identical")
      ->check(whole_number(0));
  app.add_option(
      "--fault", faults,
      "Inject faults for tests, such as 'kill worker 1 at step 5 phase apply; stop worker 0 at step 9', "
      "'slow 10x worker 1 at step 5', 'random 100 kills of steps 10-500 seed 7', 'full disk at step 3' or, in a "
      "cluster, 'cut node 1 at step 5'");
  add_seconds(app, "--step-timeout", sgd.timeouts.step, "Timeout of a step, in seconds");
  add_seconds(app, "--start-timeout", sgd.timeouts.start, "Timeout for workers to start, in seconds");
  add_seconds(app, "--evaluate-timeout", sgd.timeouts.evaluate, "Timeout of an evaluation, in seconds");
  add_seconds(app, "--save-timeout", sgd.timeouts.save,
              "Timeout for each vector that is fetched to save, or placed to load, in seconds");
  add_limit(app, "--suspect-after", sgd.fault_tolerance.suspect_after,
            "Seconds without a sign of life after which a process or node is reported; 0: never");
  add_limit(app, "--cut-after", sgd.fault_tolerance.cut_after,
            "Seconds after which it is ended and lost; 0: never (for debugging)");
}

void CommandOptions::hide_training(CLI::App& app) const {
  for (const char* flag :
       {"--strategy", "--any-order", "--slice-owners", "--backup-workers", "--step-timeout", "--fault"})
    app.get_option(flag)->group("");
  algorithm.hide(app);
}

Options CommandOptions::to_sgd_options() const {
  Options options = sgd;
  options.placement = parse_placement(placement);
  options.compute.precision = parse_precision(precision);
  options.algorithm = algorithm.chosen();
  bool in_passes = false;
  if (auto* const lbfgs = std::get_if<Lbfgs>(&options.algorithm)) {
    lbfgs->full_batch = batch_size == 0 || said_batch_size_ == nullptr || said_batch_size_->count() == 0;
    in_passes = lbfgs->full_batch && batch_size > 0 && lbfgs->warm_start == 0;
  }
  nlohmann::json config{{"batch_size", in_passes ? kPassOfFullBatch : batch_size}};
  if (micro_batch > 0) config["micro_batch"] = micro_batch;
  if (data) config["data"] = plain_text("--data", *data);
  if (!validate.empty()) config["validate"] = plain_text("--validate", validate);
  const TrainedNetwork& what = trained();
  std::string transforms = transform ? plain_text("--transform", *transform) : what.transforms;
  if (measures) transforms = with_trained_numbers(transforms, what.transforms);
  if (!transforms.empty()) config["transform"] = transforms;
  if (loss) config["loss"] = plain_text("--loss", *loss);
  for (const std::string& metric : metrics) config["metrics"].push_back(plain_text("--metric", metric));
  if (!model_options.empty()) {
    if (!what.network.empty())
      throw_invalid("--model-option is for --model: the network is that of " + *load + ", whose sizes are fixed");
    config["model_options"] = model_options_json(model_options);
  }
  if (!what.network.empty()) config["network"] = what.network;
  if (!what.inputs.empty()) config["trained"] = what.inputs;
  for (const auto& [key, is_set] : {std::pair("new_head", new_head), std::pair("measures", measures)})
    if (is_set) config[key] = true;
  options.config = config.dump();
  options.optimizer = optimizer_of(optimizer);
  options.gradients.clip_norm = optimizer.clip_norm;
  options.fault_tolerance.faults = faults_of(faults);
  options.verbose = false;  // because the command itself shows the progress
  return options;
}

DistributedSGD CommandOptions::start() const try {
  const Options options = to_sgd_options();
  DistributedSGD started(trained().model, options);
  note_precision(started.precision_choice());
  if (load && started.steps_done() == 0) started.load(*load, {.new_head = new_head});
  return started;
} catch (const Error& error) {
  if (!load) throw;
  throw Error(error.code(), error.message() + load_hint(error, trained(), !measures && !new_head), error.where());
}

std::string CommandOptions::model_text() const { return trained().network.empty() ? model : "the network of " + *load; }

const TrainedNetwork& CommandOptions::trained() const {
  const bool is_said = said_model_ != nullptr && said_model_->count() > 0;
  if (!trained_) trained_ = load ? trained_network(*load, model, is_said) : TrainedNetwork{.model = model};
  return *trained_;
}

}  // namespace troupe::cli
