#include <array>
#include <string>

#include "models/data/mock_images.hpp"
#include "models/network/network.hpp"
#include "troupe/error.hpp"
#include "troupe/models.hpp"

namespace troupe::models {

namespace {

/// The structure of a ResNet of a given depth: a column of table 1 in He et al., "Deep residual learning for image
/// recognition".
struct Architecture {
  int depth;
  bool bottleneck;
  std::array<int, 4> blocks;  ///< number of blocks in each of the four stages
};

constexpr std::array kArchitectures{Architecture{18, false, {2, 2, 2, 2}}, Architecture{34, false, {3, 4, 6, 3}},
                                    Architecture{50, true, {3, 4, 6, 3}}, Architecture{101, true, {3, 4, 23, 3}},
                                    Architecture{152, true, {3, 8, 36, 3}}};

const Architecture& find_architecture(int depth) {
  for (const Architecture& each : kArchitectures)
    if (each.depth == depth) return each;
  throw Error(ErrorCode::invalid_argument,
              "there is no ResNet of depth " + std::to_string(depth) + "; the depths are 18, 34, 50, 101 and 152");
}

class ResNetBuilder {
 public:
  ResNetBuilder(const Architecture& architecture, std::int64_t width) : architecture_(architecture), width_(width) {}

  Graph build(int num_classes) && {
    last_ = normalised("conv1", "bn1", {.outputs = width_, .kernel = 7, .stride = 2}, Graph::input());
    last_ = graph_.append("", relu(), {last_});
    last_ = graph_.append("", max_pool2d({.kernel = 3, .stride = 2, .padding = 1}), {last_});
    channels_ = width_;
    for (int stage = 0; stage < 4; ++stage) add_stage(stage);
    last_ = graph_.append("", global_average_pool(), {last_});
    graph_.append("fc", linear(num_classes), {last_});
    return std::move(graph_);
  }

 private:
  struct Window {
    std::int64_t outputs;
    std::int64_t kernel;
    std::int64_t stride = 1;
  };

  /// Appends a convolution and a batch-norm to the graph, and returns the output of the batch-norm.
  Graph::Node normalised(const std::string& convolution_name, const std::string& norm_name, const Window& window,
                         Graph::Node from) {
    const Layer layer =
        conv2d(window.outputs,
               {.kernel = window.kernel, .stride = window.stride, .padding = window.kernel / 2, .bias = false});
    return graph_.append(norm_name, batch_norm(), {graph_.append(convolution_name, layer, {from})});
  }

  void add_stage(int stage) {
    const std::int64_t width = width_ << stage;
    for (int block = 0; block < architecture_.blocks[static_cast<std::size_t>(stage)]; ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block) + ".";
      add_block(name, width, stage > 0 && block == 0 ? 2 : 1);
    }
  }

  void add_block(const std::string& name, std::int64_t width, std::int64_t stride) {
    const std::int64_t outputs = architecture_.bottleneck ? 4 * width : width;
    const Graph::Node changed = architecture_.bottleneck ? bottleneck(name, width, stride) : basic(name, width, stride);
    Graph::Node shortcut = last_;
    if (stride != 1 || channels_ != outputs)
      shortcut = normalised(name + "downsample.0", name + "downsample.1", {outputs, 1, stride}, last_);
    last_ = graph_.append("", relu(), {graph_.append("", add(), {changed, shortcut})});
    channels_ = outputs;
  }

  Graph::Node basic(const std::string& name, std::int64_t width, std::int64_t stride) {
    Graph::Node node = normalised(name + "conv1", name + "bn1", {width, 3, stride}, last_);
    node = graph_.append("", relu(), {node});
    return normalised(name + "conv2", name + "bn2", {width, 3}, node);
  }

  Graph::Node bottleneck(const std::string& name, std::int64_t width, std::int64_t stride) {
    Graph::Node node = normalised(name + "conv1", name + "bn1", {width, 1}, last_);
    node = graph_.append("", relu(), {node});
    node = normalised(name + "conv2", name + "bn2", {width, 3, stride}, node);
    node = graph_.append("", relu(), {node});
    return normalised(name + "conv3", name + "bn3", {4 * width, 1}, node);
  }

  const Architecture& architecture_;
  std::int64_t width_;  ///< number of channels of the first stage
  Graph graph_;
  Graph::Node last_ = Graph::input();
  std::int64_t channels_ = 0;
};

}  // namespace

Graph resnet(int depth, int num_classes, std::int64_t width) {
  return ResNetBuilder(find_architecture(depth), width).build(num_classes);
}

std::unique_ptr<Model> tfbench(std::int64_t batch) {
  constexpr int kClasses = 1001;
  return network(resnet(101, kClasses), mock_image_batches(224, kClasses, batch), batch);
}

}  // namespace troupe::models
