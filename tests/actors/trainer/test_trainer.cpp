#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "actors/trainer/train_functions.hpp"
#include "actors/trainer/trainer_checkpoints.hpp"
#include "collectives/group/communicator.hpp"
#include "runtime/processes/cores.hpp"
#include "support/errors.hpp"
#include "support/optimizers.hpp"
#include "support/temporary_folder.hpp"
#include "troupe/log.hpp"
#include "troupe/loop.hpp"
#include "troupe/predictor.hpp"
#include "troupe/sgd.hpp"

using namespace troupe;
using troupe_test::trainer_options;

namespace {

constexpr std::array kPlacements{Placement::in_process, Placement::processes};

/// A communicator with one rank. On request, its vectors throw in the middle of a gather.
class BreaksOff : public Communicator {
 public:
  bool breaks = false;

  int rank() const override { return 0; }
  int size() const override { return 1; }
  const char* name() const override { return "breaks off"; }
  void run(const Collective& call) override {
    const bool now = breaks && call.kind == Collective::Kind::all_gather;
    const std::size_t bytes = call.count * bytes_of(call.type) / (now ? 2 : 1);
    if (call.out != call.in && bytes > 0) std::memmove(call.out, call.in, bytes);
    if (now) throw Error(ErrorCode::worker_lost, "broken off");
  }
};

/// A model that computes in a given precision and does nothing else.
class Precise : public Model {
 public:
  explicit Precise(Precision precision, PrecisionSeconds measured = {}) : precision_(precision), measured_(measured) {}

  BatchResult gradient(const ShardStep& /*at*/, std::span<const float> /*weights*/,
                       std::span<float> /*gradient*/) override {
    return {};
  }

 protected:
  ModelInfo prepare(const ReplicaContext& /*context*/) override {
    return {.size = 1, .precision = precision_, .measured = measured_};
  }

 private:
  Precision precision_;
  PrecisionSeconds measured_;
};

}  // namespace

TEST_CASE("a function runs on all workers, knows its rank, and the workers serve the next run") {
  for (const Placement placement : kPlacements) {
    Trainer trainer(trainer_options(placement, 3));
    const RunResults first = trainer.run("place", {{"lr", 0.5}});
    const RunResults second = trainer.run("place");
    REQUIRE(first.size() == 3);
    for (int rank = 0; rank < 3; ++rank) {
      const Json& told = first[static_cast<std::size_t>(rank)].json;
      CHECK(told.at("rank") == rank);
      CHECK(told.at("local_rank") == rank);
      CHECK(told.at("world_size") == 3);
      CHECK(told.at("in_worker") == true);
      CHECK(told.at("config") == Json({{"lr", 0.5}}));
      CHECK(told.at("backend") == "store");
      CHECK(second[static_cast<std::size_t>(rank)].json.at("pid") == told.at("pid"));
      CHECK(second[static_cast<std::size_t>(rank)].json.at("config") == Json::object());
    }
    if (placement == Placement::processes) CHECK(first[0].json.at("pid") != first[1].json.at("pid"));
  }
}

TEST_CASE("the same function runs outside of a trainer as rank 0 of 1") {
  CHECK(here().rank() == 0);
  CHECK(here().world_size() == 1);
  CHECK_FALSE(here().in_worker());
  CHECK(here().config() == Json::object());
  CHECK(here().all_reduce(2.5) == 2.5);
  CHECK(code_of([] { here().dataset(); }) == ErrorCode::invalid_argument);
  CHECK(code_of([] { here().report(3); }) == ErrorCode::invalid_argument);
  here().report({{"loss", 1}});
  {
    const StandaloneContext alone({.config = {{"lr", 0.1}}, .dataset = load_data("synthetic-linear")});
    CHECK(here().config().at("lr") == 0.1);
    CHECK(here().dataset().shard().num_samples() == load_data("synthetic-linear").train->info().num_samples);
    CHECK_FALSE(here().load_checkpoint());
    here().save_checkpoint({{"step", 7}});
    CHECK_FALSE(here().load_checkpoint());  // no checkpoint at the start of this call
    CHECK(alone.last_checkpoint()->number == 1);
    const StandaloneContext next({.checkpoint = alone.last_checkpoint()});
    CHECK(here().load_checkpoint()->state.at("step") == 7);
  }
  CHECK(here().config() == Json::object());
}

TEST_CASE("callbacks of a function outside of a trainer learn of an exception") {
  struct Heard : Callback {
    std::string told;
    void on_failure(const Error& error, bool goes_on) override { told += error.message() + (goes_on ? "+" : "-"); }
    void on_end(const RunEnd& end) override { told += end.failed ? "failed" : "ended"; }
  };
  const auto well = std::make_shared<Heard>();
  { const StandaloneContext alone({.callbacks = {well}}); }
  CHECK(well->told == "ended");
  const auto badly = std::make_shared<Heard>();
  try {
    const StandaloneContext alone({.callbacks = {badly}});
    throw std::runtime_error("out of luck");
  } catch (const std::runtime_error&) {
    CHECK(badly->told == "the function was left by an exception-failed");
  }
}

TEST_CASE("in this process a function can be passed by value, and can return JSON or tensors") {
  Trainer trainer(trainer_options(Placement::in_process, 2));
  int calls = 0;
  const RunResults results = trainer.run(
      [&calls](const Json& config) {
        if (here().rank() == 0) ++calls;
        return config.value("a", 0) + here().rank();
      },
      {{"a", 40}});
  CHECK(calls == 1);
  CHECK(results[1].json == 41);
  CHECK(trainer.run([] {})[0].json.is_null());
  CHECK(trainer.run("tensors")[1].tensors.at(0).values == std::vector<float>{1, 1, 2, 3});
  Trainer processes(trainer_options(Placement::processes, 1));
  CHECK(code_of([&] { processes.run([] {}); }) == ErrorCode::unsupported);
  CHECK(processes.run("tensors")[0].tensors.at(0).shape == std::vector<std::int64_t>{2, 2});
  CHECK(processes.run("tensors")[0].tensors.at(1).values.empty());
}

TEST_CASE("collectives in functions are bitwise identical with both placements") {
  for (const Placement placement : kPlacements)
    for (const int workers : {1, 2, 4}) {
      Trainer trainer(trainer_options(placement, workers));
      for (const std::size_t count : {0, 1, 4097, 100'000}) trainer.run("collectives", {{"count", count}});
    }
}

TEST_CASE("invalid trainer options are refused before the start") {
  const auto refused = [](auto change) {
    TrainerOptions options = trainer_options(Placement::in_process, 2);
    change(options);
    return message_of([&] { Trainer trainer(options); });
  };
  CHECK(refused([](auto& o) { o.num_workers = 0; }).find("at least 1 is needed") != std::string::npos);
  CHECK(refused([](auto& o) { o.num_workers = {3, 2}; }).find("but num_workers.max is 2") != std::string::npos);
  CHECK(refused([](auto& o) { o.cpus_per_worker = 0; }).find("cpus_per_worker is 0") != std::string::npos);
  const auto hasty = [](auto& o) { o.fault_tolerance.suspect_after = std::chrono::milliseconds(1); };
  CHECK(refused(hasty).find("suspect_after") != std::string::npos);
  CHECK(refused([](auto& o) { o.gpus_per_worker = 1; }).find("link troupe::cuda") != std::string::npos);
  CHECK(refused([](auto& o) { o.gpus_per_worker = -1; }).find("gpus_per_worker is -1") != std::string::npos);
  CHECK(refused([](auto& o) { o.backend = "nccl"; }).find("it must be store, data-plane or mpi") != std::string::npos);
  CHECK(refused([](auto& o) { o.backend = "mpi"; }).find("mpirun") != std::string::npos);
  CHECK(refused([](auto& o) { o.fault_tolerance.max_failures = -1; }).find("max_failures") != std::string::npos);
  CHECK(refused([](auto& o) { o.timeouts.stop = {}; }).find("timeouts.stop") != std::string::npos);
}

TEST_CASE("weights and checkpoints of GroupSGD can be used for predictions") {
  const troupe_test::TemporaryFolder folder;
  AccelerateOptions options;
  options.config = R"({"data": "mock-images:8,3,60", "batch_size": 6})";
  GroupSGD optimizer{accelerate("mlp", options), Group(), Sgd{.learning_rate = 1e-5, .momentum = 0.9}};
  const GroupStep step = optimizer.step();
  REQUIRE(step.accuracy);
  CHECK(*step.accuracy >= 0);
  CHECK(*step.accuracy <= 1);
  optimizer.save(folder / "w.safetensors");
  const TrainerCheckpoints checkpoints({.folder = folder / "run"});
  Checkpoint checkpoint{.tensors = optimizer.state(), .number = 1};
  checkpoints.write(checkpoint);
  const std::vector<float> sample(3 * 64, 0.5F);
  const auto expected = Predictor(folder / "w.safetensors").outputs(sample);
  CHECK(expected.size() == 3);
  CHECK(Predictor((folder / "run")).outputs(sample) == expected);
  CHECK(Predictor(checkpoints.path_of(1)).outputs(sample) == expected);
  GroupSGD again{accelerate("mlp", options), Group(), Sgd{.learning_rate = 1e-5, .momentum = 0.9}};
  again.load_state(checkpoints.read(1).tensors);
  CHECK(again.weights() == optimizer.weights());
}

TEST_CASE("in a hand-written loop, frozen batch-norm does not change, bitwise identical to DistributedSGD") {
  const std::string config = R"({"data": "mock-images:8,3,60", "batch_size": 6})";
  const std::vector<ParameterGroup> groups{{.pattern = "1.*", .frozen = true}};
  GroupSGD optimizer{accelerate("cnn-bn", {.config = config, .groups = groups}), Group(), Sgd{.groups = groups}};
  Options options;
  options.config = config;
  options.seed = here().seed();
  edit(options)->groups = groups;
  DistributedSGD sgd("cnn-bn", options);
  const std::vector<float> begun = sgd.weights();
  for (int step = 0; step < 3; ++step) CHECK(optimizer.step().loss == sgd.step().loss);
  const std::vector<float> weights = sgd.weights();
  CHECK(optimizer.weights() == weights);
  std::size_t at = 0;
  for (const TensorInfo& tensor : sgd.tensors()) {
    const auto begin = static_cast<std::ptrdiff_t>(at);
    const auto end = static_cast<std::ptrdiff_t>(at += tensor.size());
    CAPTURE(tensor.name);
    CHECK(std::equal(begun.begin() + begin, begun.begin() + end, weights.begin() + begin) ==
          tensor.name.starts_with("1."));
  }
}

TEST_CASE("more workers than cores share the cores, and a log line reports this") {
  const int workers = usable_cores() + 1;
  std::string said;
  set_log_sink([&](const LogRecord& record) { said += record.text + '\n'; });
  {
    TrainerOptions options = trainer_options(Placement::in_process, workers);
    Trainer trainer(options);
    CHECK(trainer.run("place").size() == static_cast<std::size_t>(workers));
  }
  set_log_sink({});
  CHECK(said.find(std::to_string(workers) + " workers share ") != std::string::npos);
}

TEST_CASE("the error for an unknown function lists the registered ones") {
  Trainer trainer(trainer_options(Placement::processes, 2));
  const std::string said = message_of([&] { trainer.run("plaice"); });
  CHECK(said.find("no function named 'plaice' is registered; there are ") != std::string::npos);
  CHECK(said.find("did you mean 'place'") != std::string::npos);
  CHECK(trainer.run("place").size() == 2);
}

TEST_CASE("the table of workers shows their places and states") {
  Trainer trainer(trainer_options(Placement::processes, 2));
  std::ostringstream table;
  table << trainer;
  CHECK(table.str().starts_with("worker  node"));
  CHECK(table.str().find("idle") != std::string::npos);
  const auto workers = trainer.workers().workers();
  REQUIRE(workers.size() == 2);
  CHECK(workers[0].node == "pid " + std::to_string(workers[0].pid));
  CHECK(workers[0].memory_bytes > 1'000'000);
  RunHandle running = trainer.run_generator("wait");
  running.next();
  CHECK(trainer.workers().workers()[1].state == "running");
  CHECK(code_of([&] { trainer.run("place"); }) == ErrorCode::in_use);
}

TEST_CASE("invalid run options are refused before functions start") {
  Trainer trainer(trainer_options(Placement::in_process, 2));
  std::atomic<int> calls = 0;
  const auto run = [&] { trainer.run([&calls] { ++calls; }, {}, {.reports = {.every = -1}}); };
  CHECK(code_of(run) == ErrorCode::invalid_argument);
  CHECK(calls == 0);
  RunHandle running = trainer.run_generator("place");
  RunHandle moved = std::move(running);
  CHECK(code_of([&] { running.next(); }) == ErrorCode::invalid_argument);  // NOLINT(bugprone-use-after-move)
  CHECK(moved.returns().size() == 2);
}

TEST_CASE("a dropped run ends its functions, and the workers serve the next run") {
  for (const Placement placement : kPlacements) {
    Trainer trainer(trainer_options(placement, 2));
    {
      RunHandle running = trainer.run_generator("wait");
      CHECK(running.next());
      CHECK_FALSE(running.is_finished());
    }
    CHECK(trainer.run("place").size() == 2);
    CHECK(trainer.num_workers() == 2);
  }
}

TEST_CASE("the user's objects stay with the workers") {
  Trainer trainer(trainer_options(Placement::processes, 2));
  CHECK(message_of([&] { trainer.execute("add"); }).find("this worker has no object of that class") !=
        std::string::npos);
  trainer.start<troupe_test::Counter>({{"from", 10}});
  CHECK(trainer.execute("add", {{"by", 5}})[1].json == 16);
  CHECK(trainer.execute("add", {{"by", 5}})[0].json == 20);
  CHECK(trainer.execute_single("add", {{"by", 1}}).json == 21);
  CHECK(trainer.execute("add", {{"by", 1}})[1].json == 24);
  trainer.shutdown();
  CHECK(code_of([&] { trainer.execute("add"); }) == ErrorCode::invalid_argument);

  struct Sum {
    int value = 0;
  };
  Trainer here_trainer(trainer_options(Placement::in_process, 2));
  here_trainer.start<Sum>();
  here_trainer.execute<Sum>([](Sum& sum) { return sum.value += here().rank() + 1; });
  CHECK(here_trainer.execute<Sum>([](Sum& sum) { return sum.value; })[1].json == 2);
  CHECK(here_trainer.execute_single<Sum>([](Sum& sum) { return sum.value; }).json == 1);
}

TEST_CASE("each rank has its shard of the data") {
  for (const Placement placement : kPlacements) {
    Trainer trainer(trainer_options(placement, 3));
    const RunResults results = trainer.run("shard", {}, {.dataset = "synthetic-linear"});
    const TrainingData data = load_data("synthetic-linear");
    std::int64_t seen = 0;
    for (const TaskResult& each : results) {
      CHECK(each.json.at("seen") == each.json.at("mine"));
      CHECK(each.json.at("all") == each.json.at("mine"));
      CHECK(each.json.at("batches") == results[0].json.at("batches"));
      seen += each.json.at("seen").get<std::int64_t>();
    }
    CHECK(seen == data.train->info().num_samples);
  }
  Trainer trainer(trainer_options(Placement::in_process, 2));
  CHECK(trainer.run("shard", {}, {.dataset = load_data("synthetic-linear")})[0].json.at("mine") > 0);
  CHECK(message_of([&] { trainer.run("shard"); }).find("this run has no data") != std::string::npos);
}

TEST_CASE("data that exceeds the memory limit is streamed, with the same samples") {
  const troupe_test::TemporaryFolder folder;
  const std::string file = folder / "rows.csv";
  {
    std::ofstream out(file);
    out << "a,b,y\n";
    for (int i = 0; i < 3000; ++i) out << i << ',' << i % 7 << ',' << i % 11 << '\n';
  }
  const RunOptions data{.dataset = "csv:" + file + ",target=y"};
  Trainer in_memory(trainer_options(Placement::in_process, 2));
  TrainerOptions options = trainer_options(Placement::processes, 2);
  options.memory.data_bytes = 20'000;  // the values have 36,000 bytes
  Trainer streamed(options);
  const RunResults expected = in_memory.run("shard", {}, data);
  const RunResults results = streamed.run("shard", {}, data);
  for (std::size_t rank = 0; rank < 2; ++rank) {
    CHECK(results[rank].json == expected[rank].json);
    CHECK(results[rank].json.at("seen") == 1500);
  }
  CHECK(std::filesystem::exists(file + ".index"));  // the index proves that the file was not read into memory
}

TEST_CASE("a step of GroupSGD that fails in the middle of a gather changes nothing") {
  const auto breaks_off = std::make_shared<BreaksOff>();
  GroupSGD broken{accelerate("linear"), Group(breaks_off), Sgd{.momentum = 0.9}};
  GroupSGD whole{accelerate("linear"), Group(), Sgd{.momentum = 0.9}};
  for (GroupSGD* each : {&broken, &whole}) each->step();
  breaks_off->breaks = true;
  CHECK(code_of([&] { broken.step(); }) == ErrorCode::worker_lost);
  CHECK(broken.weights() == whole.weights());
  breaks_off->breaks = false;
  for (GroupSGD* each : {&broken, &whole}) each->step();
  CHECK(broken.weights() == whole.weights());
}

TEST_CASE("a step of GroupSGD uses the next batch, or the batch with a given number") {
  const AccelerateOptions options{.config = R"({"data": "synthetic-linear", "batch_size": 8})"};
  GroupSGD in_order{accelerate("linear", options), Group()};
  GroupSGD numbered{accelerate("linear", options), Group()};
  GroupSGD other{accelerate("linear", options), Group()};
  for (std::int64_t batch = 0; batch < 3; ++batch) {
    const GroupStep expected = in_order.step();
    const GroupStep found = numbered.step(batch);
    CHECK(found.step == batch + 1);
    CHECK(found.loss == expected.loss);
    other.step(batch + 3);
  }
  CHECK(numbered.weights() == in_order.weights());
  CHECK(other.weights() != in_order.weights());
}

TEST_CASE("ranks that use accelerate compute in one precision: the requested one, if all ranks support it") {
  for (const auto& [without, measured] : {std::pair(-1, false), {1, false}, {-1, true}, {1, true}}) {
    CAPTURE(without);
    CAPTURE(measured);
    const PrecisionSeconds seconds = measured ? PrecisionSeconds{.f32 = 2, .bf16 = 1} : PrecisionSeconds();
    const ModelCreator creator([without = without, seconds](const ReplicaContext& context) {
      if (context.worker == without) return std::make_unique<Precise>(Precision::f32);
      return std::make_unique<Precise>(context.precision, seconds);
    });
    Trainer trainer(trainer_options(Placement::in_process, 3));
    const RunResults results = trainer.run(
        [&] { return Json(accelerate(creator, {.precision = Precision::bf16})->info().precision == Precision::bf16); });
    for (const TaskResult& each : results) CHECK(each.json == (without < 0));
  }
}

TEST_CASE("a model in a hand-written loop is bitwise identical to DistributedSGD, after deaths, too") {
  for (const char* model : {"mlp", "cnn-bn"}) {
    Options options;
    options.num_workers = 2;
    options.optimizer = Sgd{.learning_rate = 0.05, .momentum = 0.9};
    options.gradients.clip_norm = 0.5;
    options.config = R"({"data": "fashion-mnist", "batch_size": 16})";
    options.verbose = false;
    DistributedSGD sgd(model, options);
    for (int i = 0; i < 6; ++i) sgd.step();
    double sum = 0;
    for (const float weight : sgd.weights()) sum += weight;
    Trainer trainer(trainer_options(Placement::processes, 2));
    for (const bool dies : {false, true}) {
      const Json told = trainer.run("learn", {{"model", model}, {"clip", 0.5}, {"dies", dies}})[0].json;
      CHECK(told.at("sum") == sum);
      CHECK(told.at("loss") == sgd.evaluate().loss);
    }
  }
}
