#include <doctest/doctest.h>

#include "actors/driver/fake_runtime.hpp"
#include "actors/driver/forming/preparation.hpp"
#include "actors/messages/build.hpp"
#include "actors/messages/settle.hpp"
#include "actors/messages/slabs.hpp"
#include "actors/messages/vectors.hpp"
#include "actors/rounds/fake_mailbox.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

using PreparationLog = std::vector<std::string>;

/// Two workers that build the same model of two tensors. A test can change their replies.
struct Prepared {
  explicit Prepared(Algorithm algorithm = Synchronous{}) {
    options.algorithm = std::move(algorithm);
    options.num_shards = 2;
    options.num_workers = 2;
    used.begin();
    runtime->reception.when_sent = [this](int member, const caf::message& message) {
      if (message.match_elements<Build>()) return build(member, message.get_as<Build>(0));
      if (message.match_elements<Fence>()) return done("fence", member, message.get_as<Fence>(0));
      if (message.match_elements<MakeSlabs>()) return done("make", member, message.get_as<MakeSlabs>(0));
      if (message.match_elements<MapSlabs>()) return done("map", member, message.get_as<MapSlabs>(0));
      if (message.match_elements<Initialize>()) return done("initialize", member, message.get_as<Initialize>(0));
      FAIL("a message that a preparation does not send");
    };
  }

  void prepare(bool needs_spare = false) {
    log.clear();
    const auto newly_initialized = [](int /*buffer*/, const Phase& /*phase*/) { return std::optional<Version>(); };
    preparation.prepare(run, needs_spare, newly_initialized, troupe_test::calm_phase("start"));
  }

  std::map<int, std::int64_t> samples{{0, 100}, {1, 100}};  ///< the number of samples that each worker reports

  Options options;
  UpdateRules optimizer{settings_of(options)};
  AlgorithmInUse used{options, optimizer};
  Versions versions;
  std::unique_ptr<troupe_test::FakeRuntime> made = std::make_unique<troupe_test::FakeRuntime>(2, 2);
  troupe_test::FakeRuntime* const runtime = made.get();
  const std::shared_ptr<PreparationLog> kept = made->kept_log;
  PreparationLog& log = *kept;
  FormedRun run{std::move(made), CreateModel(), Generation(7, "{}", 0)};
  Preparation preparation{ModelCreator("linear"), options, used, versions};

 private:
  void build(int member, const Build& request) {
    log.push_back("build " + std::to_string(member) + (request.frozen ? ", frozen" : ""));
    const std::vector<TensorInfo> tensors{{"weight", {4, 8}}, {"bias", {32}}};
    ReplicaTraits traits{.size = 64, .learned_size = 64, .fingerprint = "plain"};
    traits.tensors = checksum_of(tensors);
    traits.num_samples = samples[member];
    traits.steps_per_epoch = 25;
    Built built{request.round, {}, {traits}, {"weight", "bias"}, {{4, 8}, {32}}};
    runtime->reception.answer(member, std::move(built));
  }
  template <class Request>
  void done(const std::string& name, int member, const Request& request) {
    log.push_back(name + " " + std::to_string(member));
    runtime->reception.answer(member, Done{request.round, {}});
  }
};

const PreparationLog kGeneration{"begin", "make 0", "make 1", "publish", "map 0", "map 1"};

PreparationLog joined(PreparationLog first, const PreparationLog& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

}  // namespace

TEST_CASE("preparation builds replicas, fences, creates a generation and places first weights, and runs only once") {
  Prepared scene;
  CHECK(scene.preparation.steps_per_epoch() == 0);
  scene.prepare();
  const PreparationLog first = joined({"build 0", "build 1", "fence 0", "fence 1"}, kGeneration);
  CHECK(scene.log == joined(first, {"create 1 0", "initialize 0", "place 1 0 0", "forget"}));
  CHECK(scene.versions.any());
  CHECK(scene.versions.committed().step == 0);
  CHECK(scene.preparation.model().tensors.at(1).name == "bias");
  CHECK(scene.preparation.steps_per_epoch() == 25);
  CHECK(scene.preparation.servers().empty());
  CHECK(scene.preparation.state_bytes() > 0);
  scene.prepare();
  CHECK(scene.log.empty());
}

TEST_CASE("a replaced worker builds only its own replica, and the weights are kept") {
  Prepared scene;
  scene.prepare();
  scene.versions.commit(*scene.versions.spare(), {5, 5});
  scene.run.members().come(1);  // the replacement of a lost worker
  scene.prepare();
  CHECK(scene.log == joined({"build 1", "fence 0", "fence 1"}, kGeneration));
  CHECK(scene.versions.committed().step == 5);
}

TEST_CASE("a generation gets one more buffer if a spare buffer is needed and none exists") {
  Prepared scene;
  scene.prepare();
  const auto pin = scene.versions.pin();
  scene.versions.commit(*scene.versions.spare(), {1, 1});
  scene.prepare(/*needs_spare=*/false);
  CHECK(scene.log.empty());
  scene.prepare(/*needs_spare=*/true);
  CHECK(scene.log == joined({"fence 0", "fence 1"}, kGeneration));
  CHECK(scene.versions.spare());
  scene.versions.unpin(pin);
}

TEST_CASE("replicas are built again if the algorithm requires other replicas") {
  Prepared scene(Lbfgs{.freeze = true, .warm_start = 3});
  scene.prepare();
  CHECK(scene.log.front() == "build 0");
  scene.preparation.follow_algorithm(scene.run.members());
  scene.prepare();
  CHECK(scene.log.empty());
  scene.used.exchange(scene.used.take_awaited());
  scene.preparation.follow_algorithm(scene.run.members());
  scene.prepare();
  CHECK(scene.log.front() == "build 0, frozen");
  CHECK(scene.preparation.built_for().frozen);
}

TEST_CASE("replicas with other data than the first worker's are refused, and the next call builds them again") {
  Prepared scene;
  scene.samples[1] = 99;
  CHECK(code_of([&] { scene.prepare(); }) == ErrorCode::model_mismatch);
  CHECK_FALSE(scene.run.generation().stands());
  scene.samples[1] = 100;
  scene.prepare();
  CHECK(std::ranges::count(scene.log, "build 1") == 1);
  CHECK(scene.run.generation().stands());
}
