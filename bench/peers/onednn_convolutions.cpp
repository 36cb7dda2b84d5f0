// Measures oneDNN's convolutions of a ResNet on one core and prints one JSON line.
//   onednn_convolutions [--depth 18|34|50|101|152] [--batch N] [--size N] [--precision f32|bf16]
//   g++ -std=c++20 -O2 -fopenmp -I. bench/peers/onednn_convolutions.cpp models/cpu/onednn_versions.cpp -ldnnl
// Each distinct convolution runs warm, with layouts of oneDNN's choice and the direct algorithm. The median of its runs
// counts once for every layer of that shape. No gradient of the images is computed. Gradients of the weights are f32.
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/cpu/onednn_versions.hpp"

namespace {

using dnnl::algorithm;
using dnnl::memory;
using troupe::cpu::describe_backward;
using troupe::cpu::describe_forward;
using Arguments = std::unordered_map<int, memory>;

struct Options {
  int depth = 101;
  int batch = 1;
  int size = 224;  ///< height and width of an image
  bool bf16 = false;
};

struct Convolution {
  int in, out, size, kernel, stride;

  auto operator<=>(const Convolution&) const = default;
  int padding() const { return kernel / 2; }
  int out_size() const { return (size + 2 * padding() - kernel) / stride + 1; }
  bool takes_images() const { return in == 3; }
  double flops(int batch) const { return 2.0 * batch * out * in * kernel * kernel * out_size() * out_size(); }
};

using Counts = std::map<Convolution, int>;

struct Seconds {
  double forward = 0;
  double backward_data = 0;
  double backward_weights = 0;

  double total() const { return forward + backward_data + backward_weights; }
};

struct Network {
  std::vector<int> blocks;  ///< blocks of the four stages
  bool bottleneck;
};

Network network_of(int depth) {
  switch (depth) {
    case 18:
      return {{2, 2, 2, 2}, false};
    case 34:
      return {{3, 4, 6, 3}, false};
    case 50:
      return {{3, 4, 6, 3}, true};
    case 101:
      return {{3, 4, 23, 3}, true};
    case 152:
      return {{3, 8, 36, 3}, true};
    default:
      throw std::invalid_argument("no ResNet-" + std::to_string(depth) + ": 18, 34, 50, 101 or 152");
  }
}

/// Adds one residual block with input size `size`. The 3 x 3 convolution of a bottleneck has the stride.
void add_block(Counts& counts, bool bottleneck, int in, int width, int size, int stride) {
  const int out = bottleneck ? 4 * width : width;
  const int inner = (size - 1) / stride + 1;
  if (bottleneck) {
    ++counts[{in, width, size, 1, 1}];
    ++counts[{width, width, size, 3, stride}];
    ++counts[{width, out, inner, 1, 1}];
  } else {
    ++counts[{in, width, size, 3, stride}];
    ++counts[{width, width, inner, 3, 1}];
  }
  if (stride != 1 || in != out) ++counts[{in, out, size, 1, stride}];
}

Counts convolutions_of(const Options& options) {
  const Network network = network_of(options.depth);
  const Convolution stem{3, 64, options.size, 7, 2};
  Counts counts{{stem, 1}};
  int size = (stem.out_size() - 1) / 2 + 1;  // after the max pooling
  int in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    const int width = 64 << stage;
    for (int block = 0; block < network.blocks[static_cast<std::size_t>(stage)]; ++block) {
      const int stride = stage > 0 && block == 0 ? 2 : 1;
      add_block(counts, network.bottleneck, in, width, size, stride);
      in = network.bottleneck ? 4 * width : width;
      size = (size - 1) / stride + 1;
    }
  }
  return counts;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Timer {
 public:
  explicit Timer(const Options& options) : options_(options) {}

  Seconds time(const Convolution& convolution);

 private:
  /// Returns memory filled with ones, because denormal numbers would slow down a kernel.
  memory ones(const memory::desc& description);
  double median_seconds(const dnnl::primitive& primitive, const Arguments& arguments);

  const Options& options_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
};

memory Timer::ones(const memory::desc& description) {
  memory result(description, engine_);
  const std::size_t bytes = description.get_size();
  auto* data = static_cast<char*>(result.get_data_handle());
  const float one = 1;
  // A bf16 number is the upper half of a float.
  const std::size_t width = troupe::cpu::type_of(description) == memory::data_type::bf16 ? 2 : 4;
  for (std::size_t i = 0; i + width <= bytes; i += width)
    std::memcpy(data + i, reinterpret_cast<const char*>(&one) + 4 - width, width);
  return result;
}

double Timer::median_seconds(const dnnl::primitive& primitive, const Arguments& arguments) {
  constexpr std::size_t kLeastRuns = 7;
  constexpr double kLeastSeconds = 0.02;
  const auto run = [&] {
    const double start = seconds_now();
    primitive.execute(stream_, arguments);
    stream_.wait();
    return seconds_now() - start;
  };
  run();
  std::vector<double> seconds;
  for (double sum = 0; seconds.size() < kLeastRuns || sum < kLeastSeconds; sum += seconds.back())
    seconds.push_back(run());
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

Seconds Timer::time(const Convolution& c) {
  const auto type = options_.bf16 ? memory::data_type::bf16 : memory::data_type::f32;
  const auto any = memory::format_tag::any;
  const int batch = options_.batch;
  const int out_size = c.out_size();
  // The right padding extends only to the end of the last window.
  const int right = (out_size - 1) * c.stride + c.kernel - c.size - c.padding();
  const memory::dims strides{c.stride, c.stride};
  const memory::dims padding{c.padding(), c.padding()};
  const memory::dims padding_right{right, right};
  const memory::desc source({batch, c.in, c.size, c.size}, type, any);
  const memory::desc result({batch, c.out, out_size, out_size}, type, any);
  const memory::desc weights({c.out, c.in, c.kernel, c.kernel}, type, any);
  const memory::desc weights_gradient({c.out, c.in, c.kernel, c.kernel}, memory::data_type::f32, any);
  const auto direct = algorithm::convolution_direct;

  const auto forward = describe_forward<dnnl::convolution_forward>(
      engine_, {}, dnnl::prop_kind::forward_training, direct, source, weights, result, strides, padding, padding_right);
  const auto backward_weights = describe_backward<dnnl::convolution_backward_weights>(
      engine_, {}, forward, direct, source, weights_gradient, result, strides, padding, padding_right);

  Seconds seconds;
  seconds.forward =
      median_seconds(dnnl::convolution_forward(forward), {{DNNL_ARG_SRC, ones(forward.src_desc())},
                                                          {DNNL_ARG_WEIGHTS, ones(forward.weights_desc())},
                                                          {DNNL_ARG_DST, ones(forward.dst_desc())}});
  seconds.backward_weights = median_seconds(dnnl::convolution_backward_weights(backward_weights),
                                            {{DNNL_ARG_SRC, ones(backward_weights.src_desc())},
                                             {DNNL_ARG_DIFF_DST, ones(backward_weights.diff_dst_desc())},
                                             {DNNL_ARG_DIFF_WEIGHTS, ones(backward_weights.diff_weights_desc())}});
  if (c.takes_images()) return seconds;
  const auto backward_data = describe_backward<dnnl::convolution_backward_data>(
      engine_, {}, forward, direct, source, weights, result, strides, padding, padding_right);
  seconds.backward_data = median_seconds(dnnl::convolution_backward_data(backward_data),
                                         {{DNNL_ARG_DIFF_DST, ones(backward_data.diff_dst_desc())},
                                          {DNNL_ARG_WEIGHTS, ones(backward_data.weights_desc())},
                                          {DNNL_ARG_DIFF_SRC, ones(backward_data.diff_src_desc())}});
  return seconds;
}

void measure(const Options& options) {
  Timer timer(options);
  Seconds sum;
  double flops = 0;
  int layers = 0;
  for (const auto& [convolution, count] : convolutions_of(options)) {
    const Seconds one = timer.time(convolution);
    sum.forward += count * one.forward;
    sum.backward_data += count * one.backward_data;
    sum.backward_weights += count * one.backward_weights;
    flops += count * convolution.flops(options.batch) * (convolution.takes_images() ? 2 : 3);
    layers += count;
  }
  std::printf(
      "{\"depth\": %d, \"batch\": %d, \"size\": %d, \"precision\": \"%s\", \"convolutions\": %d, \"seconds\": %.6f, "
      "\"forward\": %.6f, \"backward_data\": %.6f, \"backward_weights\": %.6f, \"gflops\": %.2f, "
      "\"gflops_per_second\": %.1f}\n",
      options.depth, options.batch, options.size, options.bf16 ? "bf16" : "f32", layers, sum.total(), sum.forward,
      sum.backward_data, sum.backward_weights, flops / 1e9, flops / 1e9 / sum.total());
}

int positive(const std::string& text) {
  const int number = std::stoi(text);
  if (number < 1) throw std::invalid_argument(text + " is less than 1");
  return number;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " needs a value");
    const std::string value = argv[i + 1];
    if (name == "--depth")
      options.depth = positive(value);
    else if (name == "--batch")
      options.batch = positive(value);
    else if (name == "--size")
      options.size = positive(value);
    else if (name == "--precision" && (value == "f32" || value == "bf16"))
      options.bf16 = value == "bf16";
    else
      throw std::invalid_argument("unknown: " + name + " " + value);
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    omp_set_num_threads(1);
    measure(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "onednn_convolutions: %s\n", error.what());
    return 1;
  }
}
