#include <doctest/doctest.h>

#include <memory>
#include <vector>

#include "files.hpp"
#include "models/aligned.hpp"
#include "models/registry.hpp"
#include "troupe/models.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

CreateModel no_model() {
  return [](const ReplicaContext&) { return std::unique_ptr<Model>(); };
}

std::unique_ptr<Model> create(const std::string& name, const std::string& config) {
  models::register_builtin_models();
  ReplicaContext context;
  context.config = config;
  return find_model(name)(context);
}

ModelInfo info_of(const std::string& name, const std::string& config) { return create(name, config)->start({}); }

/// Returns the gradient of a replica that may use this many threads.
std::vector<float> gradient_of(const std::string& name, int threads) {
  const auto model = create(name, R"({"data": "mock-images:16,3,40", "batch_size": 8})");
  const std::size_t size = model->start({.shards = {0}, .seed = 2, .threads = threads}).size;
  AlignedFloats weights(size);
  AlignedFloats gradient(size);
  model->initialize(weights, 2);
  model->gradient({.seed = 2}, weights, gradient);
  return {gradient.begin(), gradient.end()};
}

}  // namespace

TEST_CASE("gradients of built-in networks do not depend on the number of threads that a replica may use") {
  for (const char* name : {"softmax", "mlp", "cnn", "cnn-bn"}) {
    CAPTURE(name);
    CHECK(gradient_of(name, 1) == gradient_of(name, 5));
  }
}

TEST_CASE("a registered model is found under its name") {
  register_model("test-found", no_model());
  CHECK(find_model("test-found")({}) == nullptr);
}

TEST_CASE("the error about an unknown model lists the known ones") {
  register_model("test-known", no_model());
  check_throws(ErrorCode::invalid_argument, "'test-unknown'", [] { find_model("test-unknown"); });
  check_throws(ErrorCode::invalid_argument, "test-known", [] { find_model("test-unknown"); });
}

TEST_CASE("registering a model requires a unique name and a creator") {
  register_model("test-once", no_model());
  check_throws(ErrorCode::invalid_argument, "test-once", [] { register_model("test-once", no_model()); });
  check_throws(ErrorCode::invalid_argument, "name", [] { register_model("", no_model()); });
  check_throws(ErrorCode::invalid_argument, "test-null", [] { register_model("test-null", nullptr); });
}

TEST_CASE("the built-in models are made from JSON and may be registered again") {
  models::register_builtin_models();
  CHECK(info_of("linear", "").size == 4);
  CHECK(info_of("linear", R"({"batch_size": 10})").steps_per_epoch == 100);
  CHECK(info_of("softmax", R"({"data": "mock-images:4,7", "batch_size": 2})").size == 7 * (48 + 1));
}

TEST_CASE("networks of all names can be made on their default data or other data") {
  CHECK(info_of("cnn-bn", R"({"data": "mock-images:8,7"})").tensors.size() == 14);
  for (const char* name : {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152"}) {
    CAPTURE(name);
    const ModelInfo info = info_of(name, R"({"data": "mock-images:16,7"})");
    CHECK(info.tensors.back().shape == std::vector<std::int64_t>{7});
    CHECK(info.steps_per_epoch == 2);
  }
  CHECK(info_of("tfbench", R"({"batch_size": 1, "data": "mock-images"})").tensors.back().shape ==
        std::vector<std::int64_t>{1001});
}

TEST_CASE("the number of outputs of a network follows from its loss and data") {
  CHECK(info_of("mlp", R"({"data": "synthetic-linear"})").tensors.back().shape == std::vector<std::int64_t>{1});
  CHECK(info_of("mlp", R"({"data": "synthetic-linear", "loss": "mean-squared-error"})").num_samples == 1000);
  const TemporaryFolder folder;
  write_file(folder / "x.npy", npy_bytes(npy_dictionary("<f4", "(2, 1)"), std::string(8, '\0')));
  write_file(folder / "y.npy", npy_bytes(npy_dictionary("<f4", "(2, 5)"), std::string(40, '\0')));
  const std::string data = R"({"data": "npy:)" + (folder / "x.npy") + "," + (folder / "y.npy") + "\"";
  for (const char* loss : {"", R"(, "loss": "mean-squared-error")", R"(, "loss": "sigmoid-cross-entropy")"})
    CHECK(info_of("mlp", data + loss + "}").tensors.back().shape == std::vector<std::int64_t>{5});
}

TEST_CASE("tfbench has its own data and requires a positive batch size") {
  check_throws(ErrorCode::invalid_argument, "a batch of 0 images", [] { create("tfbench", R"({"batch_size": 0})"); });
  check_throws(ErrorCode::invalid_argument, "mock-images:32",
               [] { create("tfbench", R"({"data": "mock-images:32"})"); });
}

TEST_CASE("invalid configurations are refused") {
  for (const char* name : {"linear", "softmax", "mlp", "cnn", "cnn-bn", "resnet18", "tfbench"}) {
    const auto refused = [name](const std::string& what, const std::string& config) {
      check_throws(ErrorCode::invalid_argument, what, [&] { create(name, config); });
    };
    refused("\"bach_size\"", R"({"bach_size": 3})");
    refused("batch_size", R"({"batch_size": -3})");
    refused("batch_size", R"({"batch_size": 1.5})");
    refused("batch_size", R"({"batch_size": 1e30})");
    refused("data", R"({"data": 3})");
    refused("JSON", "{");
    refused("JSON", "[]");
    refused("nowhere", R"({"data": "nowhere"})");
  }
  const auto fails = [](const std::string& what, const char* name, const std::string& config) {
    check_throws(ErrorCode::invalid_argument, what, [&] { create(name, config); });
  };
  fails("layer 0 (convolution) needs images", "cnn", R"({"data": "synthetic-linear"})");
  for (const char* name : {"linear", "softmax", "tfbench"})
    fails("has a fixed loss; remove \"loss\": \"mean-squared-error\"", name, R"({"loss": "mean-squared-error"})");
  fails("\"loss\" must be a string", "mlp", R"({"loss": 1})");
  fails("no loss named ''; there are", "mlp", R"({"loss": ""})");
  fails("loss mean-squared-error needs targets, but the data has 7 classes", "mlp",
        R"({"data": "mock-images:4,7", "loss": "mean-squared-error"})");
  fails("loss softmax-cross-entropy needs classes", "mlp",
        R"({"data": "synthetic-linear", "loss": "softmax-cross-entropy"})");
  check_throws(ErrorCode::invalid_argument, "classes", [] { create("softmax", R"({"data": "synthetic-linear"})"); });
}
