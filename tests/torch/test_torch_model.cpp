#include <doctest/doctest.h>
#include <torch/autograd.h>
#include <torch/data/datasets/base.h>
#include <torch/data/example.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/container/sequential.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "models/aligned.hpp"
#include "models/files.hpp"
#include "models/torch/autocast.hpp"
#include "models/torch/flat_tensors.hpp"
#include "models/torch/torch_random.hpp"
#include "support/errors.hpp"
#include "torch/modules.hpp"
#include "troupe/batches.hpp"
#include "troupe/safetensors.hpp"
#include "troupe/sgd.hpp"

// libtorch defines a macro with this name, too.
#undef CHECK
#define CHECK(...) DOCTEST_CHECK(__VA_ARGS__)

using namespace troupe;
using namespace troupe_test;

namespace {

std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

AlignedFloats small_weights(std::size_t size) {
  AlignedFloats weights(size);
  for (std::size_t i = 0; i < size; ++i) weights[i] = static_cast<float>(i * 37 % 101) / 400 - 0.1F;
  return weights;
}

struct Run {
  int workers = 1;
  Placement placement = Placement::in_process;
  Algorithm algorithm = {};
  int steps = 5;
};

Options options_of(const Run& run) {
  Options options;
  options.num_workers = run.workers;
  options.num_shards = 6;
  options.placement = run.placement;
  options.algorithm = run.algorithm;
  options.optimizer = Sgd{.learning_rate = 0.05, .momentum = 0.9};
  options.verbose = false;
  return options;
}

std::vector<std::uint32_t> weights_after(const std::string& model, const Run& run) {
  DistributedSGD sgd(model, options_of(run));
  while (sgd.steps_done() < run.steps) sgd.step();
  return bits_of(sgd.weights());
}

/// A replica of a model on its own, with its weights and its gradient.
struct Replica {
  explicit Replica(const CreateModel& create, ReplicaContext context = {.shards = {0}, .seed = 3}) {
    model = create(context);
    info = model->start(context);
    weights.resize(info.size + 16);
    gradient.resize(info.size + 16, 7);
    model->initialize(floats(weights), context.seed);
  }
  /// Returns a part of `memory` that starts at a multiple of 64 bytes.
  std::span<float> floats(std::vector<float>& memory) const {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return std::span(memory).subspan((64 - address % 64) % 64 / sizeof(float), info.size);
  }
  BatchResult pass(std::int64_t step = 0) {
    return model->gradient({.shard = 0, .num_shards = 1, .step = step, .seed = 3}, floats(weights), floats(gradient));
  }
  /// Returns the gradient by the names of tensors.
  std::map<std::string, std::vector<float>> by_name() {
    std::vector<float> canonical(total_size(info.tensors));
    model->to_canonical(floats(gradient), canonical);
    std::map<std::string, std::vector<float>> named;
    for (std::size_t begin = 0; const TensorInfo& tensor : info.tensors) {
      named[tensor.name].assign(canonical.begin() + static_cast<std::ptrdiff_t>(begin),
                                canonical.begin() + static_cast<std::ptrdiff_t>(begin + tensor.size()));
      begin += tensor.size();
    }
    return named;
  }

  std::unique_ptr<Model> model;
  ModelInfo info;
  std::vector<float> weights, gradient;
};

std::vector<float> floats_of(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kFloat).contiguous();
  return {flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel()};
}

struct InDouble : Plain {
  InDouble() { out->to(torch::kDouble); }
};

struct Writes : Plain {
  torch::Tensor forward(torch::Tensor x) {
    const torch::NoGradGuard no_grad;
    out->weight.mul_(0.5);
    return x;
  }
};

struct Throws : Plain {
  torch::Tensor forward(torch::Tensor x) { return x.matmul(torch::ones({7, 2})); }
};

struct ScalesInput : Plain {
  torch::Tensor forward(torch::Tensor x) { return out(x.mul_(2)); }
};

struct Drops : Plain {
  torch::Tensor forward(torch::Tensor x) { return out(torch::dropout(x, 0.5, is_training())); }
};

/// Changes a weight in evaluations.
struct WritesLater : Plain {
  torch::Tensor forward(torch::Tensor x) {
    const torch::NoGradGuard no_grad;
    if (!is_training()) out->bias.zero_();
    return out(x);
  }
};

/// Counts its passes in a buffer of integers, and adds the count to its outputs.
struct Counts : Plain {
  Counts() : seen(register_buffer("seen", torch::zeros({2}, torch::kLong))) {}
  torch::Tensor forward(torch::Tensor x) {
    seen.add_(1);
    return out(x) + seen.to(torch::kFloat);
  }
  torch::Tensor seen;
};

/// Returns a pair, so only a loss can use it.
struct Twofold : Plain {
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x) { return {out(x), x}; }
};

/// A dataset of libtorch.
struct Squares : torch::data::datasets::Dataset<Squares> {
  torch::data::Example<> get(std::size_t index) override {
    const auto x = static_cast<float>(index) / 10;
    return {torch::full({4}, x), torch::full({2}, x * x)};
  }
  torch::optional<std::size_t> size() const override { return 10; }
};

}  // namespace

TEST_CASE("weights of modules are bitwise identical for any number of workers and any placement") {
  for (const char* model : {"torch-cnn", "torch-odd", "torch-tokens"}) {
    CAPTURE(model);
    const auto expected = weights_after(model, {});
    CHECK(weights_after(model, {.workers = 2}) == expected);
    CHECK(weights_after(model, {.workers = 3}) == expected);
    CHECK(weights_after(model, {.workers = 2, .placement = Placement::processes}) == expected);
  }
}

TEST_CASE("modules train with every algorithm") {
  for (const Algorithm& algorithm :
       {Algorithm(LocalSgd{.steps = 2}), Algorithm(Lbfgs{.history = 3}), Algorithm(Downpour{}), Algorithm(Ssp{})}) {
    DistributedSGD sgd("torch-tokens", options_of({.workers = 2, .algorithm = algorithm}));
    const double first = sgd.evaluate().loss;
    for (int call = 0; call < 20; ++call) sgd.step();
    CHECK(sgd.evaluate().loss < first);
  }
}

TEST_CASE("gradients are equal to those of libtorch alone, in every float") {
  Replica replica(torch_model<Odd>("fashion-mnist", {.batch_size = 16}));
  const BatchResult result = replica.pass();
  CHECK(result.samples == 16);
  const auto gradient = replica.by_name();

  Odd alone;
  std::vector<float> canonical(total_size(replica.info.tensors));
  replica.model->to_canonical(replica.floats(replica.weights), canonical);
  for (std::size_t begin = 0; const TensorInfo& tensor : replica.info.tensors) {
    const torch::NoGradGuard no_grad;
    alone->named_parameters()[tensor.name].copy_(torch::from_blob(canonical.data() + begin, tensor.shape));
    begin += tensor.size();
  }
  const auto batches = dataset_batches(load_data("fashion-mnist"), 16);
  const Batch batch = batches->training_batch({.shard = 0, .num_shards = 1, .step = 0, .seed = 3});
  const torch::Tensor images = torch::from_blob(const_cast<float*>(batch.values.data()), {16, 1, 28, 28}).clone();
  const torch::Tensor labels =
      torch::from_blob(const_cast<std::int32_t*>(batch.labels.data()), {16}, torch::kInt).to(torch::kLong);
  const torch::Tensor loss = torch::nn::functional::cross_entropy(
      alone->forward(images), labels, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
  loss.backward();
  CHECK(result.loss_sum == loss.item<double>());
  for (const auto& each : alone->named_parameters()) {
    CAPTURE(each.key());
    if (each.key().starts_with("tied.")) continue;  // the parameters of `again` under another name
    const std::vector<float> expected = each.value().grad().defined()
                                            ? floats_of(each.value().grad())
                                            : std::vector<float>(static_cast<std::size_t>(each.value().numel()));
    CHECK(bits_of(gradient.at(each.key())) == bits_of(expected));
  }
}

TEST_CASE("names are those of the state_dict, and all floats of the gradient are written") {
  Replica replica(torch_model<Cnn>("fashion-mnist", {.batch_size = 4}));
  std::vector<std::string> names;
  for (const TensorInfo& tensor : replica.info.tensors) names.push_back(tensor.name);
  CHECK(names == std::vector<std::string>{"first.weight", "first.bias", "second.weight", "second.bias", "norm.weight",
                                          "norm.bias", "out.weight", "out.bias", "norm.running_mean",
                                          "norm.running_var", "norm.num_batches_tracked"});
  CHECK(replica.info.batch_dependent == "batch-norm, dropout");
  replica.pass();
  const auto written = replica.floats(replica.gradient);
  CHECK(std::ranges::count(written, 7.0F) == 0);
  CHECK(replica.by_name().at("norm.num_batches_tracked") == std::vector<float>{4});  // times the number of samples
}

TEST_CASE("tensors in memory of their own have the same gradients as views of the flat vectors") {
  Cnn views;
  Cnn copies;
  FlatTensors of_views(tensors_of(views), {}, /*has_memory=*/false);
  FlatTensors of_copies(tensors_of(copies), {}, /*has_memory=*/true);
  const std::size_t size = of_views.size();
  REQUIRE(of_copies.size() == size);
  AlignedFloats weights = small_weights(size);
  const auto pass = [&](Cnn& module, FlatTensors& tensors, std::uint64_t version) {
    AlignedFloats gradient(size, 7);
    tensors.use_weights(weights, {weights.data(), version});
    tensors.use_gradient(gradient);
    const TorchRandom random(4);
    module.forward(torch::rand({3, 1, 28, 28})).square().sum().backward();
    const auto copied = tensors.complete_gradient(gradient, 3);
    CHECK(copied > 0);
    return std::vector<float>(gradient.begin(), gradient.end());
  };
  const auto bytes = static_cast<std::int64_t>(size * sizeof(float));
  const std::vector<float> first = pass(views, of_views, 0);
  CHECK(bits_of(pass(copies, of_copies, 5)) == bits_of(first));
  CHECK(of_views.take_bytes_over_bus() == 0);
  CHECK(of_copies.take_bytes_over_bus() == 2 * bytes);
  CHECK(bits_of(pass(copies, of_copies, 5)) == bits_of(first));  // the same weights are not copied again
  CHECK(of_copies.take_bytes_over_bus() == bytes);
  for (float& weight : weights) weight = -weight;
  const std::vector<float> second = pass(views, of_views, 0);
  CHECK(second != first);
  CHECK(bits_of(pass(copies, of_copies, 6)) == bits_of(second));
  CHECK(bits_of(pass(copies, of_copies, 0)) == bits_of(second));
  CHECK(of_copies.take_bytes_over_bus() == 4 * bytes);
}

TEST_CASE("gradients that are taken before their cast are those after it, in every float") {
  Odd odd;
  Cnn cnn;
  Plain plain;
  const auto images = [] { return torch::rand({3, 1, 28, 28}); };
  const auto check = [](torch::nn::Module& module, int casts, const std::function<torch::Tensor()>& loss) {
    FlatTensors tensors(tensors_of(module), {}, /*has_memory=*/false);
    const AlignedFloats weights = small_weights(tensors.size());
    const auto pass = [&](bool takes) {
      AlignedFloats gradient(weights.size(), 7);
      tensors.use_weights(weights, {weights.data(), 0});
      tensors.use_gradient(gradient);
      const TorchRandom random(4);
      const Autocast autocast(true, at::kCPU);
      const torch::Tensor sum = loss();
      if (takes) CHECK(tensors.take_casts(sum) == casts);
      sum.backward();
      CHECK(tensors.complete_gradient(gradient, 3) > 0);
      return bits_of(std::vector<float>(gradient.begin(), gradient.end()));
    };
    const auto expected = pass(false);
    CHECK(pass(true) == expected);
    CHECK(pass(false) == expected);
  };
  check(cnn, 5, [&] { return cnn.forward(images()).square().sum(); });
  check(*odd, 3, [&] { return odd->forward(images()).square().sum(); });
  check(plain, 1, [&] {  // the weight is used in float32, too
    return plain.forward(torch::rand({3, 4})).square().sum() + plain.out->weight.square().sum();
  });
  check(plain, 1, [&] {  // one part of the loss goes backward by itself
    const torch::Tensor losses = plain.forward(torch::rand({3, 4})).square().sum(1);
    losses[0].backward({}, /*keep_graph=*/true);
    return losses.slice(0, 1).sum();
  });
  plain.out->bias.register_hook([](const torch::Tensor& gradient) { return gradient * 2; });
  check(plain, 0, [&] { return plain.forward(torch::rand({3, 4})).square().sum(); });
  check(plain, 1,
        [&] {  // a hook finds no bf16: the module casts the weight, after a part of the loss has gone backward
          const torch::Tensor weight = plain.out->weight;
          weight.square().sum().backward();
          return (weight.to(torch::kDouble) / 3).square().sum();
        });
  check(plain, 0, [&]() -> torch::Tensor {  // a loss without a graph
    plain.out->weight.square().sum().backward();
    return plain.out->bias[0].detach().requires_grad_();
  });
}

TEST_CASE("a module on a device that libtorch lacks is refused") {
  const ReplicaContext context{.shards = {0}, .device = Device::cuda};
  if (const std::string said = message_of([&] { Replica(torch_model<Plain>(four_values()), context); }); !said.empty())
    CHECK(said.find("CUDA") != std::string::npos);
  // libtorch numbers devices as Troupe does.
  const char* const order = std::getenv("CUDA_DEVICE_ORDER");
  REQUIRE(order != nullptr);
  CHECK(std::string(order) == "PCI_BUS_ID");
}

TEST_CASE("dropout depends on the step only") {
  Replica replica(torch_model<Drops>(four_values(), {.batch_size = 0}));
  replica.pass(1);
  const auto first = bits_of(replica.gradient);
  replica.pass(2);
  CHECK(bits_of(replica.gradient) != first);
  torch::manual_seed(9);
  replica.pass(1);
  CHECK(bits_of(replica.gradient) == first);
}

TEST_CASE("random numbers of a thread do not depend on the process's generator") {
  const auto draw = [](std::uint64_t seed) {
    const TorchRandom random(seed);
    return floats_of(torch::rand({8}));
  };
  const auto expected = draw(5);
  torch::manual_seed(1);
  torch::rand({3});
  CHECK(draw(5) == expected);
  CHECK(draw(6) != expected);
}

TEST_CASE("only operators on the CPU get the thread's generator") {
  const TorchRandom random(5);
  const torch::Tensor elsewhere = torch::empty({4}, torch::kMeta);
  CHECK(elsewhere.uniform_().is_meta());
}

TEST_CASE("a module that cannot be trained is refused with the reason") {
  const auto said = [](const CreateModel& create) { return message_of([&] { Replica(create).pass(); }); };
  CHECK(said(torch_model<InDouble>(four_values())).find("parameter 'out.weight' of the module is Double") !=
        std::string::npos);
  CHECK(said(torch_model<Writes>(four_values())).find("writes to its parameter 'out.weight'") != std::string::npos);
  const std::string thrown = said(torch_model<Throws>(four_values()));
  CHECK(thrown.find("libtorch: ") != std::string::npos);
  CHECK(thrown.find("shapes cannot be multiplied (12x4 and 7x2)") != std::string::npos);
  CHECK(thrown.find("frame #") == std::string::npos);
  CHECK(
      said(torch_model<torch::nn::Sequential>(four_values())).find("no parameter of the module requires a gradient") !=
      std::string::npos);
}

TEST_CASE("writes to weights in evaluations are found, also before the first step") {
  TorchDatasets data = four_values();
  data.test = data.train;
  DistributedSGD sgd(torch_model<WritesLater>(data), options_of({}));
  CHECK(message_of([&] { sgd.evaluate(); }).find("writes to its parameter 'out.bias'") != std::string::npos);
}

TEST_CASE("buffers that are not part of the state are the same in each pass") {
  Replica replica(torch_model<Counts>(four_values(), {.batch_size = 0}));
  const double first = replica.pass().loss_sum;
  CHECK(replica.pass().loss_sum == first);
  CHECK(replica.info.tensors.size() == 2);
}

TEST_CASE("gradients that a loss computes in several parts are added") {
  TorchOptions<Plain> options{.batch_size = 0};
  options.loss = [](Plain& module, const TorchBatch& batch) {
    const torch::Tensor losses = module.forward(batch.inputs[0]).square().sum(1);
    losses.slice(0, 0, 5).sum().backward({}, /*keep_graph=*/true);
    return TorchLoss{.sum = losses.slice(0, 5).sum(), .count = batch.size};
  };
  Replica parts(torch_model<Plain>(four_values(), options));
  parts.pass();
  options.loss = [](Plain& module, const TorchBatch& batch) {
    return TorchLoss{.sum = module.forward(batch.inputs[0]).square().sum(), .count = batch.size};
  };
  Replica whole(torch_model<Plain>(four_values(), options));
  whole.pass();
  const auto added = parts.by_name().at("out.weight");
  const auto expected = whole.by_name().at("out.weight");
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(added[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

TEST_CASE("the same module must not be returned twice") {
  TorchOptions<Plain> options{.make = [module = std::make_shared<Plain>()] { return module; }};
  CHECK(message_of([&] { Replica(torch_model<Plain>(four_values(), options)).pass(); }).find("must make a new one") !=
        std::string::npos);
}

TEST_CASE("a module that returns several tensors needs a loss, and datasets of libtorch with targets work") {
  const TorchDataset squares = torch_dataset(Squares());
  Replica replica(torch_model<Plain>(squares, {.batch_size = 0}));
  const BatchResult result = replica.pass();
  CHECK(result.samples == 10);
  CHECK(result.bytes_copied == 10 * sizeof(float));
  TorchOptions<Twofold> options{.batch_size = 0};
  CHECK(message_of([&] { Replica(torch_model<Twofold>(squares, options)).pass(); }).find("set TorchOptions::loss") !=
        std::string::npos);
  options.loss = [](Twofold& module, const TorchBatch& batch) {
    return TorchLoss{.sum = module.forward(batch.inputs[0]).first.sum(), .count = batch.size};
  };
  CHECK(Replica(torch_model<Twofold>(squares, options)).pass().samples == 10);
}

TEST_CASE("frozen tensors get no gradient, and frozen replicas compute as in evaluations") {
  const auto keeps = [](const std::string& tensor) { return tensor == "out.weight"; };
  Replica kept(torch_model<Plain>(four_values(), {.batch_size = 0}), {.shards = {0}, .seed = 3, .keeps = keeps});
  kept.pass();
  CHECK(kept.by_name().at("out.weight") == std::vector<float>(8));
  CHECK(kept.by_name().at("out.bias") != std::vector<float>(2));
  Replica frozen(torch_model<Drops>(four_values(), {.batch_size = 0}), {.shards = {0}, .seed = 3, .frozen = true});
  CHECK(frozen.pass(1).loss_sum == frozen.pass(2).loss_sum);
}

TEST_CASE("bf16 gives about the gradient of f32") {
  const auto loss = [](Precision precision) {
    return Replica(torch_model<Cnn>("fashion-mnist", {.batch_size = 8}),
                   {.shards = {0}, .seed = 3, .precision = precision})
        .pass()
        .loss_sum;
  };
  const double f32 = loss(Precision::f32);
  const double bf16 = loss(Precision::bf16);
  CHECK(bf16 != f32);
  CHECK(bf16 == doctest::Approx(f32).epsilon(0.02));
}

TEST_CASE("a module may change its inputs") {
  Replica replica(torch_model<ScalesInput>(four_values(), {.batch_size = 0}));
  const double first = replica.pass().loss_sum;
  CHECK(replica.pass().loss_sum == first);
}

TEST_CASE("an own loss returns a sum and a count") {
  TorchOptions<Plain> options{.batch_size = 0};
  options.loss = [](Plain& module, const TorchBatch& batch) {
    return TorchLoss{.sum = module.forward(batch.inputs[0]).square().sum(), .count = 2 * batch.size};
  };
  Replica replica(torch_model<Plain>(four_values(), options));
  const BatchResult result = replica.pass();
  CHECK(result.samples == 24);
  CHECK(result.correct == BatchResult::kNotCounted);
}

TEST_CASE("evaluations measure accuracy and the confusion matrix") {
  DistributedSGD sgd("torch-cnn", options_of({.workers = 2}));
  const Evaluation before = sgd.evaluate(EvaluationSet::test, {.confusion = true, .top_k = 3});
  CHECK(before.samples == 10'000);
  for (int step = 0; step < 60; ++step) sgd.step();
  const Evaluation after = sgd.evaluate(EvaluationSet::test, {.confusion = true, .top_k = 3});
  CHECK(after.loss < before.loss);
  CHECK(after.accuracy > before.accuracy);
  REQUIRE(after.confusion.size() == 100);
  std::int64_t right = 0;
  for (std::size_t i = 0; i < 100; i += 11) right += after.confusion[i];
  CHECK(static_cast<double>(right) == doctest::Approx(after.accuracy * 10'000));
  CHECK(after.top_k_accuracy.value_or(0) > after.accuracy);
}

TEST_CASE("files of weights go both ways between a run and a module") {
  const testing::TemporaryFolder folder;
  DistributedSGD sgd("torch-cnn", options_of({}));
  sgd.step();
  sgd.save(folder / "run");
  Cnn module;
  load_weights(module, folder / "run");
  save_weights(module, folder / "module");
  CHECK(list_safetensors(folder / "module").size() == module.parameters().size() + 3);
  DistributedSGD other("torch-cnn", options_of({}));
  other.load(folder / "module");
  CHECK(bits_of(other.weights()) == bits_of(sgd.weights()));
  Cnn copy;
  load_weights(copy, sgd.weights());
  save_weights(copy, folder / "copy");
  CHECK(read_safetensors(folder / "copy", list_safetensors(folder / "copy")) ==
        read_safetensors(folder / "run", list_safetensors(folder / "run")));
  CHECK(code_of([&] { load_weights(copy, std::vector<float>(7)); }) == ErrorCode::model_mismatch);
  Plain plain;
  CHECK(code_of([&] { load_weights(plain, folder / "run"); }) == ErrorCode::model_mismatch);
}
