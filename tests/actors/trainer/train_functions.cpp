#include "actors/trainer/train_functions.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "collectives/group/collective_trial.hpp"
#include "troupe/loop.hpp"
#include "troupe/models.hpp"

using namespace troupe;

namespace {

Json tell_place() {
  const TaskContext& place = here();
  return {{"rank", place.rank()},       {"local_rank", place.local_rank()},    {"world_size", place.world_size()},
          {"node", place.node()},       {"in_worker", place.in_worker()},      {"config", place.config()},
          {"attempt", place.attempt()}, {"pid", static_cast<int>(::getpid())}, {"backend", place.group().backend()}};
}

void try_collectives(const Json& config) {
  try_all_collectives(here().group(), config.value("count", std::size_t{1000}));
}

/// Each rank reports `reports` times at its own pace: "rank", "twice" the iteration, a NaN, and a text.
void report_at_own_pace(const Json& config) {
  const int rank = here().rank();
  for (int i = 1; i <= config.value("reports", 20); ++i) {
    if (rank == i % here().world_size()) std::this_thread::sleep_for(std::chrono::milliseconds(config.value("ms", 2)));
    here().report({{"rank", rank},
                   {"twice", 2 * i},
                   {"nan", std::numeric_limits<double>::quiet_NaN()},
                   {"name", "rank " + std::to_string(rank)},
                   {"epoch", (i - 1) / 5}});
  }
}

/// Counts to ten and saves a checkpoint per step. Rank 1 fails as "how" specifies at step 5 of the first attempt, one
/// step later in the next attempt, and so on for "times" attempts.
Json count_to_ten(const Json& config) {
  const auto before = here().load_checkpoint();
  const int from = before ? before->state.at("done").get<int>() : 0;
  std::vector<float> sum(1, before ? before->tensors.at(0).values.at(0) : 0.0f);
  for (int i = from; i < 10; ++i) {
    float one = 1;
    one = here().all_reduce(one, ReduceOp::mean);
    sum[0] += one;
    here().save_checkpoint({{"done", i + 1}}, {{"sum", {1}, sum}});
    here().report({{"step", i}});
    const bool due = i == 4 + here().attempt() && here().rank() == 1 && here().attempt() <= config.value("times", 1);
    const std::string how = due ? config.value("how", "") : "";
    if (how == "killed") ::kill(::getpid(), SIGKILL);
    while (how == "stopped") ::kill(::getpid(), SIGSTOP);  // a message on its socket would let the process continue
    if (how == "throws") throw std::runtime_error("out of luck");
    if (how == "returns") return "early";
    while (how == "hangs") ::pause();
    if (how == "other") here().barrier();
  }
  return {{"sum", sum[0]}, {"from", from}, {"attempt", here().attempt()}, {"world_size", here().world_size()}};
}

/// Adds forever. In the first attempt rank 1 is killed. Each other rank writes its error to a file in the folder
/// `notes`.
void add_until_killed(const Json& config) {
  if (here().attempt() > 1) return;
  std::jthread killer;
  if (here().rank() == 1)
    killer = std::jthread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ::kill(::getpid(), SIGKILL);
    });
  std::vector<float> values(1'000'000, 1);
  try {
    for (;;) here().all_reduce(std::span(values), ReduceOp::mean);
  } catch (const Error& error) {
    std::ofstream(config.at("notes").get<std::string>() + '/' + std::to_string(here().rank()))
        << to_string(error.code()) << ": worker " << error.where().worker << ", " << error.what();
    throw;
  }
}

/// Runs until a stop is requested.
Json wait_for_stop() {
  for (int i = 0; i < 10'000 && !here().should_stop(); ++i) {
    here().report({{"i", i}});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return here().should_stop();
}

/// Rank 1 throws at once. The other ranks ignore stop requests and report all the time.
Json flood() {
  if (here().rank() == 1) throw std::runtime_error("out of luck");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (int i = 0; std::chrono::steady_clock::now() < end; ++i) here().report({{"i", i}});
  return {};
}

/// Runs until it is called for the second time and a few collectives have succeeded.
Json wait_for_second_call() {
  for (int i = 0; i < (here().attempt() > 1 ? 5 : 10'000); ++i) {
    here().report({{"i", here().all_reduce(std::int64_t{i})}});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {{"attempt", here().attempt()}, {"node", here().node()}};
}

/// Returns whether this process was started as the worker with this number. Works before `init`.
bool is_launched_as(const std::string& worker) {
  const char* const launch = std::getenv("TROUPE_LAUNCH");
  return launch != nullptr && std::string(launch).find("--troupe-worker=" + worker) != std::string::npos;
}

NamedTensors tensors() {
  const float rank = static_cast<float>(here().rank());
  return {{"a", {2, 2}, {rank, 1, 2, 3}}, {"none", {0}, {}}};
}

Json save_files(const Json& config) {
  here().save_checkpoint({{"lr", 0.5}}, tensors(), config.at("files").get<std::vector<std::string>>());
  return {};
}

Json shard_of_data() {
  const RunDataset dataset = here().dataset();
  const DataShard shard = dataset.shard();
  std::int64_t seen = 0;
  double sum = 0;
  const std::int64_t batches = shard.batches_per_epoch(7);
  for (std::int64_t i = 0; i < batches; ++i) {
    const Samples batch = shard.batch(i, 7);
    seen += batch.count;
    for (const float value : batch.values) sum += value;
  }
  return {{"seen", seen},
          {"batches", batches},
          {"mine", shard.num_samples()},
          {"sum", sum},
          {"all", std::int64_t{shard.all().count}}};
}

/// 60 samples in three classes. The value of a sample is its number. Some samples have the wrong class.
TrainingData numbered_samples(const std::string& /*arguments*/, std::uint64_t /*seed*/) {
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 60; ++i) {
    values.push_back(static_cast<float>(i));
    labels.push_back(i * 7 % 10 < 7 ? i / 20 : (i / 20 + 1) % 3);
  }
  const auto train = std::make_shared<const Dataset>(Dataset::classes({1}, std::move(values), std::move(labels), 3));
  return {train, std::make_shared<const Dataset>(Dataset::classes({1}, {1000}, {0}, 3))};
}

/// Reading these data kills this process, unless the file `arguments` exists, which shows that this has happened
/// before.
TrainingData deadly_samples(const std::string& arguments, std::uint64_t seed) {
  if (const int file = ::open(arguments.c_str(), O_CREAT | O_EXCL, 0600); file >= 0) ::kill(::getpid(), SIGKILL);
  return numbered_samples("", seed);
}

/// The accuracy of a classifier by the nearest class mean. Sums of whole numbers are exact in any order.
double accuracy_of(const RunDataset& fold) {
  std::vector<double> sums(3);
  std::vector<double> counts(3);
  const Samples train = fold.shard().all();
  for (std::size_t i = 0; i < train.values.size(); ++i) {
    sums.at(static_cast<std::size_t>(train.labels[i])) += train.values[i];
    ++counts.at(static_cast<std::size_t>(train.labels[i]));
  }
  here().all_reduce(std::span(sums));
  here().all_reduce(std::span(counts));
  const Samples validation = fold.validation_shard().all();
  double right = 0;
  for (std::size_t i = 0; i < validation.values.size(); ++i) {
    const auto far = [&](std::size_t each) { return std::abs(sums.at(each) / counts.at(each) - validation.values[i]); };
    const std::size_t nearest = far(0) < far(1) && far(0) < far(2) ? 0 : far(1) < far(2) ? 1 : 2;
    if (nearest == static_cast<std::size_t>(validation.labels[i])) ++right;
  }
  return here().all_reduce(right) / here().all_reduce(static_cast<double>(validation.count));
}

/// Returns this rank's validation samples of each fold.
Json cross_validate(const Json& config) {
  Json mine = Json::array();
  for (const RunDataset& fold : here().dataset().to_cv(config.value("folds", 5))) {
    here().report({{"cv", mine.size()}, {"accuracy", accuracy_of(fold)}});
    mine.push_back(fold.validation_shard().all().values);
  }
  return mine;
}

/// Returns this rank's samples of each data set.
Json tell_datasets() {
  Json told = Json::array();
  for (int i = 0; i < here().num_datasets(); ++i) told.push_back(here().dataset(i).shard().all().values);
  if (told.empty() || told[0] == here().dataset().shard().all().values) return told;
  return "the first data set is another";
}

Json learn(const Json& config) {
  const auto model =
      accelerate(config.value("model", "mlp"), {.config = R"({"data": "fashion-mnist", "batch_size": 16})"});
  GroupSGD optimizer{
      model, here().group(), Sgd{.learning_rate = 0.05, .momentum = 0.9}, {.clip_norm = config.value("clip", 0.0)}};
  if (const auto before = here().load_checkpoint()) optimizer.load_state(before->tensors);
  while (optimizer.steps_done() < config.value("steps", 6)) {
    const GroupStep step = optimizer.step();
    here().report({{"loss", step.loss}});
    if (optimizer.steps_done() % 3 == 0) here().save_checkpoint({}, optimizer.state());
    const bool dies = config.value("dies", false) && here().attempt() == 1 && here().rank() == 1;
    if (dies && optimizer.steps_done() == 4) ::kill(::getpid(), SIGKILL);
  }
  double sum = 0;
  for (const float weight : optimizer.weights()) sum += weight;
  return {{"sum", sum}, {"loss", optimizer.evaluate().loss}};
}

}  // namespace

void troupe_test::register_train_functions() {
  register_function("place", tell_place);
  register_function("collectives", try_collectives);
  register_function("reports", report_at_own_pace);
  register_function("ten", count_to_ten);
  register_function("add until killed", add_until_killed);
  register_function("wait", wait_for_stop);
  register_function("flood", flood);
  register_function("wait_and_count", wait_for_second_call);
  if (!is_launched_as("1")) register_function("wait_but_for_1", wait_for_stop);
  register_function("tensors", tensors);
  register_function("files", save_files);
  register_function("shard", shard_of_data);
  register_function("learn", learn);
  register_function("cv", cross_validate);
  register_function("datasets", tell_datasets);
  register_data("numbered", numbered_samples);
  // This worker creates the data itself, because drawn data are shared only for the same seed.
  const bool dies = is_launched_as("1");
  register_data("deadly_for_1", dies ? deadly_samples : numbered_samples, {.arguments = ":FILE", .drawn = dies});
  register_class<troupe_test::Counter>();
  register_method<troupe_test::Counter>("add", [](troupe_test::Counter& counter, const Json& config) {
    counter.value += config.value("by", 1) + here().rank();
    return counter.value;
  });
}
