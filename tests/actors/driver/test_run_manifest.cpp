#include <doctest/doctest.h>

#include <functional>

#include "actors/driver/checkpoints/run_manifest.hpp"
#include "support/captured_errors.hpp"
#include "support/errors.hpp"

using namespace troupe;

namespace {

ModelDescription described() {
  ModelDescription model;
  model.traits.size = 10;
  model.traits.learned_size = 8;
  model.traits.num_samples = 60;
  model.traits.fingerprint = "oneDNN 2.6, avx2";
  model.traits.precision = static_cast<std::int32_t>(Precision::bf16);
  return model;
}

Options of_run() {
  Options options;
  options.num_shards = 4;
  options.seed = 9;
  options.config = "a config";
  options.optimizer = Adam{.learning_rate = 0.5};
  options.compute.precision = Precision::bf16;
  return options;
}

CheckpointManifest written() { return manifest_of(of_run(), described(), "mlp", {7, 6}, 0.25, {"first moment"}); }

/// Returns the error for a run that differs from the checkpoint by `change`, or an empty string.
std::string refused(const std::function<void(CheckpointManifest&)>& change, bool reshard = false) {
  CheckpointManifest ours = written();
  change(ours);
  const auto check = [&] { check_same_run("a/step", written(), ours, reshard); };
  const auto code = code_of(check);
  CHECK((!code || *code == ErrorCode::model_mismatch));
  return code ? message_of(check) : "";
}

}  // namespace

TEST_CASE("a manifest describes the run and its progress") {
  const CheckpointManifest manifest = written();
  CHECK(manifest.step == 7);
  CHECK(manifest.updates == 6);
  CHECK(manifest.num_shards == 4);
  CHECK(manifest.seed == 9);
  CHECK(manifest.model == "mlp");
  CHECK(manifest.config == "a config");
  CHECK(manifest.statistics);
  CHECK(manifest.precision == Precision::bf16);
  CHECK_FALSE(manifest.bf16_given_up);
  CHECK(manifest.computed_by == "oneDNN 2.6, avx2");
  CHECK(manifest.learning_rate == 0.25);
  CHECK(manifest.state == std::vector<std::string>{"first moment"});
  CHECK(manifest.samples == 60);

  ModelDescription in_f32 = described();
  in_f32.traits.precision = static_cast<std::int32_t>(Precision::f32);
  CHECK(manifest_of(of_run(), in_f32, "mlp", {}, {}, {}).bf16_given_up);
}

TEST_CASE("a checkpoint of a different run is refused with an error that names the difference") {
  CHECK(refused([](auto&) {}).empty());
  CHECK(refused([](auto& ours) { ours.config = "another"; }).empty());
  CHECK(refused([](auto& ours) { ours.learning_rate = 1; }).empty());
  CHECK(refused([](auto& ours) { ours.seed = 8; }).find("seed 9; this run has 8") != std::string::npos);
  CHECK(refused([](auto& ours) { ours.samples = 50; }).find("60 training samples") != std::string::npos);
  CHECK(refused([](auto& ours) { ours.state = {}; }).find("optimizer state first moment") != std::string::npos);
  CHECK(refused([](auto& ours) {
          Options other = of_run();
          other.optimizer = AdamW{.learning_rate = 0.5};
          ours.optimizer = manifest_of(other, described(), "mlp", {}, {}, {}).optimizer;
        }).find("optimizer adam; this run has adamw") != std::string::npos);
}

TEST_CASE("another number of shards is refused without reshard, and always if each shard has a state of its own") {
  const auto more = [](CheckpointManifest& ours) { ours.num_shards = 5; };
  CHECK(refused(more).find("reshard") != std::string::npos);
  CHECK(refused(more, /*reshard=*/true).empty());
  CheckpointManifest of_shards = written();
  of_shards.state = {"momentum of shard 0"};
  CheckpointManifest ours = of_shards;
  ours.num_shards = 5;
  CHECK(message_of([&] { check_same_run("a/step", of_shards, ours, true); }).find("cannot be redistributed") !=
        std::string::npos);
}

TEST_CASE("different arithmetic causes a warning and no error") {
  const auto told = [](const ReplicaTraits& ours) {
    const troupe_test::CapturedErrors errors;
    warn_of_other_bits("a/step", written(), ours);
    return errors.text();
  };
  ReplicaTraits ours = described().traits;
  CHECK(told(ours).empty());
  ours.fingerprint = "oneDNN 2.6, avx512";
  CHECK(told(ours).find("computed by oneDNN 2.6, avx2; this run computes by oneDNN 2.6, avx512") != std::string::npos);
  ours.precision = static_cast<std::int32_t>(Precision::f32);
  CHECK(told(ours).find("computed in bf16; this run computes in f32") != std::string::npos);
}
