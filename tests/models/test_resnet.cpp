#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "files.hpp"
#include "models/network/network_plan.hpp"

using namespace troupe;
using namespace troupe::models;
using testing::check_throws;

namespace {

using Shape = std::vector<std::int64_t>;

const Shape kImage{3, 224, 224};

NetworkPlan plan(int depth, int classes) { return plan_network(resnet(depth, classes), kImage, classes); }

/// Counts the parameters without running statistics.
std::size_t learned_parameters(const NetworkPlan& of) {
  std::size_t sum = 0;
  for (const LayerTensor& tensor : of.tensors)
    if (tensor.info.name.find("running") == std::string::npos) sum += tensor.info.size();
  return sum;
}

/// Two lines of torchvision's state_dict: a convolution and the batch-norm after it.
struct Pair {
  std::string convolution;
  std::string norm;
  Shape shape;
};

std::vector<Pair> resnet18_pairs() {
  return {{"conv1", "bn1", {64, 3, 7, 7}},
          {"layer1.0.conv1", "layer1.0.bn1", {64, 64, 3, 3}},
          {"layer1.0.conv2", "layer1.0.bn2", {64, 64, 3, 3}},
          {"layer1.1.conv1", "layer1.1.bn1", {64, 64, 3, 3}},
          {"layer1.1.conv2", "layer1.1.bn2", {64, 64, 3, 3}},
          {"layer2.0.conv1", "layer2.0.bn1", {128, 64, 3, 3}},
          {"layer2.0.conv2", "layer2.0.bn2", {128, 128, 3, 3}},
          {"layer2.0.downsample.0", "layer2.0.downsample.1", {128, 64, 1, 1}},
          {"layer2.1.conv1", "layer2.1.bn1", {128, 128, 3, 3}},
          {"layer2.1.conv2", "layer2.1.bn2", {128, 128, 3, 3}},
          {"layer3.0.conv1", "layer3.0.bn1", {256, 128, 3, 3}},
          {"layer3.0.conv2", "layer3.0.bn2", {256, 256, 3, 3}},
          {"layer3.0.downsample.0", "layer3.0.downsample.1", {256, 128, 1, 1}},
          {"layer3.1.conv1", "layer3.1.bn1", {256, 256, 3, 3}},
          {"layer3.1.conv2", "layer3.1.bn2", {256, 256, 3, 3}},
          {"layer4.0.conv1", "layer4.0.bn1", {512, 256, 3, 3}},
          {"layer4.0.conv2", "layer4.0.bn2", {512, 512, 3, 3}},
          {"layer4.0.downsample.0", "layer4.0.downsample.1", {512, 256, 1, 1}},
          {"layer4.1.conv1", "layer4.1.bn1", {512, 512, 3, 3}},
          {"layer4.1.conv2", "layer4.1.bn2", {512, 512, 3, 3}}};
}

const Window& window_of(const PlannedLayer& layer) { return dynamic_cast<const Convolution&>(*layer.layer).window(); }

const PlannedLayer& find(const NetworkPlan& in, const std::string& name) {
  for (const PlannedLayer& layer : in.layers)
    if (layer.name == name) return layer;
  FAIL("no layer " << name);
  return in.layers[0];
}

}  // namespace

TEST_CASE("ResNets have the same number of parameters as torchvision's") {
  struct Count {
    int depth;
    int classes;
    std::size_t parameters;
  };
  for (const Count& each : {Count{18, 1000, 11'689'512}, Count{34, 1000, 21'797'672}, Count{50, 1000, 25'557'032},
                            Count{101, 1000, 44'549'160}, Count{152, 1000, 60'192'808}, Count{101, 1001, 44'551'209}}) {
    CAPTURE(each.depth);
    CHECK(learned_parameters(plan(each.depth, each.classes)) == each.parameters);
  }
}

TEST_CASE("ResNet-18 has torchvision's names, shapes and order") {
  std::vector<TensorInfo> expected;
  for (const Pair& pair : resnet18_pairs()) {
    expected.push_back({pair.convolution + ".weight", pair.shape});
    for (const char* tensor : {".weight", ".bias", ".running_mean", ".running_var"})
      expected.push_back({pair.norm + tensor, {pair.shape[0]}});
  }
  expected.push_back({"fc.weight", {10, 512}});
  expected.push_back({"fc.bias", {10}});
  const NetworkPlan resnet18 = plan(18, 10);
  REQUIRE(resnet18.tensors.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(resnet18.tensors[i].info.name == expected[i].name);
    CHECK(resnet18.tensors[i].info.shape == expected[i].shape);
  }
}

TEST_CASE("the tensors of a bottleneck are ordered from conv1 to bn3, then the downsampling") {
  const NetworkPlan resnet50 = plan(50, 10);
  std::vector<std::string> weights;
  for (const LayerTensor& tensor : resnet50.tensors)
    if (tensor.info.name.starts_with("layer2.0.") && tensor.info.name.ends_with(".weight"))
      weights.push_back(tensor.info.name.substr(9));
  CHECK(weights == std::vector<std::string>{"conv1.weight", "bn1.weight", "conv2.weight", "bn2.weight", "conv3.weight",
                                            "bn3.weight", "downsample.0.weight", "downsample.1.weight"});
  CHECK(resnet50.tensors[6].info.shape == Shape{64});
}

TEST_CASE("the stride of a bottleneck is in its 3x3 convolution") {
  const NetworkPlan resnet50 = plan(50, 10);
  CHECK(window_of(find(resnet50, "layer2.0.conv1")).stride == 1);
  CHECK(window_of(find(resnet50, "layer2.0.conv2")).stride == 2);
  CHECK(window_of(find(resnet50, "layer2.0.conv2")).kernel == 3);
  CHECK(window_of(find(resnet50, "layer2.0.downsample.0")).stride == 2);
  CHECK(window_of(find(resnet50, "layer1.0.downsample.0")).stride == 1);
  CHECK(window_of(find(resnet50, "layer2.1.conv2")).stride == 1);
  CHECK(window_of(find(plan(18, 10), "layer2.0.conv1")).stride == 2);
}

TEST_CASE("a ResNet has the right image sizes, and all ReLUs and additions are folded") {
  const NetworkPlan resnet101 = plan(101, 1001);
  CHECK(find(resnet101, "conv1").output.text() == "64x112x112");
  CHECK(find(resnet101, "layer1.0.conv1").input.text() == "64x56x56");
  CHECK(find(resnet101, "layer4.2.bn3").output.text() == "2048x7x7");
  CHECK(find(resnet101, "fc").input.text() == "2048");
  std::size_t convolutions = 0;
  for (const PlannedLayer& layer : resnet101.layers) {
    CHECK(layer.layer->kind() != "ReLU");
    CHECK(layer.layer->kind() != "add");
    if (layer.layer->kind() == "convolution") ++convolutions;
  }
  CHECK(convolutions == 104);
  CHECK(find(resnet101, "layer1.0.bn3").inputs.size() == 2);
  CHECK(find(resnet101, "layer1.0.bn3").relu);
  CHECK_FALSE(find(resnet101, "layer1.0.downsample.1").relu);
}

TEST_CASE("a ResNet of an unsupported depth is refused") {
  for (const int depth : {0, 17, 20, -18}) {
    CAPTURE(depth);
    check_throws(ErrorCode::invalid_argument, "18, 34, 50, 101 and 152", [&] { resnet(depth, 10); });
  }
}

TEST_CASE("a ResNet accepts images of any size above zero and grey images") {
  for (const Shape& shape : {Shape{1, 28, 28}, Shape{28, 28}, Shape{3, 1, 1}, Shape{3, 33, 17}}) {
    const NetworkPlan small = plan_network(resnet(18, 10), shape, 10);
    CHECK(small.layers.back().output.text() == "10");
  }
}
