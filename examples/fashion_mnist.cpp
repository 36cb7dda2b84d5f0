// The recipe of docs/recipes/fashion-mnist.md: a small residual CNN, label smoothing, random flips, and a learning rate
// that rises and falls once.
//   example_fashion_mnist [--seed N] [--epochs N] [--images N] [--validate] [--save FILE]
// With --validate a tenth of the training set serves as validation set, and the test set is not used.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <troupe/troupe.hpp>

namespace {

struct Arguments {
  std::uint64_t seed = 1;
  int epochs = 10;
  std::int64_t images = 60'000;  ///< size of the training set
  bool validate = false;
  std::string save;
};

/// Parses a whole number. @throws std::invalid_argument if the number is smaller than `least`
template <class Number>
Number parse_number(const std::string& text, Number least) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least) throw std::invalid_argument(text);
  return number;
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto value = [&] { return words.at(++i); };
    if (word == "--validate")
      arguments.validate = true;
    else if (word == "--seed")
      arguments.seed = parse_number<std::uint64_t>(value(), 0);
    else if (word == "--epochs")
      arguments.epochs = parse_number<int>(value(), 1);
    else if (word == "--images")
      arguments.images = parse_number<std::int64_t>(value(), 1);
    else if (word == "--save")
      arguments.save = value();
    else
      throw std::invalid_argument(word);
  }
  return arguments;
}

/// Loads the data. If `validate` is set, a random tenth of the training images replaces the test set.
troupe::TrainingData load(std::int64_t images, bool validate) {
  troupe::TrainingData data = troupe::load_data("fashion-mnist");
  data.train = troupe::data::take(data.train, images);
  if (validate) {
    auto [train, rest] = troupe::data::split(data.train, 0.1);
    data = {.train = train, .test = rest};
  }
  return troupe::data::transform(data, "flip, normalise");
}

using Node = troupe::models::Graph::Node;

/// A 3 x 3 convolution with batch normalization.
Node convolve(troupe::models::Graph& graph, const std::string& name, std::int64_t channels, Node input) {
  using namespace troupe::models;
  const Node sums = graph.append(name, conv2d(channels, {.kernel = 3, .padding = 1, .bias = false}), {input});
  return graph.append(name + "-norm", batch_norm(), {sums});
}

/// Three stages. Each has a convolution, a residual block of two convolutions, and a pooling that halves height and
/// width.
troupe::models::Graph network() {
  using namespace troupe::models;
  Graph graph;
  Node node = Graph::input();
  for (const int channels : {16, 32, 64}) {
    const std::string stage = "stage" + std::to_string(channels);
    const Node shortcut = graph.append("", relu(), {convolve(graph, stage + "-in", channels, node)});
    node = graph.append("", relu(), {convolve(graph, stage + "-1", channels, shortcut)});
    node = graph.append("", relu(), {convolve(graph, stage + "-2", channels, node)});
    node = graph.append("", max_pool2d({.kernel = 2}), {graph.append("", add(), {node, shortcut})});
  }
  node = graph.append("", dropout(0.3), {graph.append("", flatten(), {node})});
  graph.append("classes", linear(10), {node});
  return graph;
}

}  // namespace

int main(int argc, char** argv) try {
  const auto start = std::chrono::steady_clock::now();
  troupe::init(argc, argv);
  const Arguments arguments = parse({argv + 1, argv + argc});
  const troupe::TrainingData data = load(arguments.images, arguments.validate);

  constexpr int kShards = 2;
  constexpr std::int64_t kBatch = 32;  // per shard
  const std::int64_t share = (data.train->info().num_samples + kShards - 1) / kShards;
  const std::int64_t steps = arguments.epochs * ((share + kBatch - 1) / kBatch);
  const std::int64_t warmup = steps / 5;
  const auto smoothed = troupe::losses::softmax_cross_entropy(/*label_smoothing=*/0.1);
  troupe::DistributedSGD sgd{[=](int, int) { return troupe::models::network(network(), data, kBatch, smoothed); },
                             {.num_workers = 2,
                              .num_shards = kShards,
                              .optimizer = troupe::Sgd{.learning_rate = {0.1,
                                                                         {.kind = troupe::ScheduleKind::cosine,
                                                                          .warmup_steps = warmup,
                                                                          .total_steps = steps - warmup}},
                                                       .momentum = 0.9,
                                                       .nesterov = true,
                                                       .weight_decay = 5e-4},
                              .seed = arguments.seed,
                              .verbose = false}};
  for (int epoch = 1; epoch <= arguments.epochs; ++epoch) {
    double loss = 0;
    for (std::int64_t step = 0; step < sgd.steps_per_epoch(); ++step) loss += sgd.step().loss;
    std::printf("epoch %d: loss %.4f\n", epoch, loss / static_cast<double>(sgd.steps_per_epoch()));
    std::fflush(stdout);
  }
  const double accuracy = sgd.evaluate().accuracy;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::printf("%s accuracy %.4f after %.1f s\n", arguments.validate ? "validation" : "test", accuracy, took.count());
  if (!arguments.save.empty()) sgd.save(arguments.save);
} catch (const troupe::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
} catch (const std::logic_error&) {
  std::fputs("usage: example_fashion_mnist [--seed N] [--epochs N] [--images N] [--validate] [--save FILE]\n", stderr);
  return 2;
}
