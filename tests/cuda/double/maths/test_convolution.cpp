#include <cmath>
#include <set>

#include "cuda/double/maths/elements.hpp"
#include "cuda/double/maths/maths_trial.hpp"

using namespace troupe::cuda_double;

namespace {

double product_of(const Floats& one, const Floats& other) {
  double sum = 0;
  for (std::size_t at = 0; at < one.size(); ++at) sum += static_cast<double>(one[at]) * other[at];
  return sum;
}

}  // namespace

TEST_CASE("double: a convolution equals the result by hand") {
  const Device device;
  const Layer layer = new_layer({});
  const Floats x = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Floats w = {1, 0, 0, -2};
  CHECK(forward(device, layer, x, w) == Floats{1 - 10, 2 - 12, 4 - 16, 5 - 18});
  CHECK(backward_filter(device, layer, x, {1, 0, 0, 10}, 4) == Floats{51, 62, 84, 95});
  CHECK(backward_data(device, layer, w, {1, 0, 0, 10}, 9) == Floats{1, 0, 0, 0, 10 - 2, 0, 0, 0, -20});
  CHECK(launches() == 3);
  CHECK(complaints().empty());
}

TEST_CASE("double: groups of channels are independent") {
  const Device device;
  const Layer layer = new_layer({.c = 2, .h = 1, .w = 2, .k = 4, .kernel = 1, .groups = 2});
  CHECK(forward(device, layer, {1, 2, 10, 20}, {1, 2, 3, 4}) == Floats{1, 2, 2, 4, 30, 60, 40, 80});
}

TEST_CASE("double: alpha and beta are read during the call, and with beta 0 the old output is not read") {
  const Device device;
  const Layer layer = new_layer({.h = 2, .w = 2});
  float* const x = device.put<float>({1, 1, 1, 1});
  float* const w = device.put<float>({1, 2, 3, 4});
  float* const y = device.put<float>({100});
  float alpha = 2;
  float beta = 0.5F;
  REQUIRE(cudnnConvolutionForward(device.dnn, &alpha, layer.x, x, layer.w, w, layer.how, kForward, nullptr, 0, &beta,
                                  layer.y, y) == CUDNN_STATUS_SUCCESS);
  alpha = beta = 1000;
  REQUIRE(cudnnDestroyTensorDescriptor(layer.x) == CUDNN_STATUS_SUCCESS);  // it was copied during the call
  CHECK(device.get(y, 1) == Floats{70});
}

TEST_CASE("double: gradients of convolutions are derivatives") {
  for (const Sizes& sizes :
       {Sizes{.n = 2, .c = 3, .h = 5, .w = 4, .k = 2, .kernel = 3, .padding = 1},
        Sizes{.n = 2, .c = 4, .h = 7, .w = 6, .k = 6, .kernel = 3, .padding = 1, .stride = 2, .groups = 2}}) {
    const Device device;
    const Layer layer = new_layer(sizes);
    const Floats x = random_floats(static_cast<std::size_t>(sizes.n * sizes.c * sizes.h * sizes.w), 1);
    const Floats w =
        random_floats(static_cast<std::size_t>(sizes.k * sizes.c / sizes.groups * sizes.kernel * sizes.kernel), 2);
    const Floats dy = random_floats(layer.outputs(), 3);
    // The scalar product of dy and the output is linear in x and in w, so differences give exact slopes.
    const double value = product_of(forward(device, layer, x, w), dy);
    const Floats dx = backward_data(device, layer, w, dy, x.size());
    const Floats dw = backward_filter(device, layer, x, dy, w.size());
    CHECK(product_of(dx, x) == doctest::Approx(value));
    CHECK(product_of(dw, w) == doctest::Approx(value));
    for (std::size_t at = 0; at < w.size(); at += 5) {
      Floats moved = w;
      moved[at] += 1;
      CHECK(product_of(forward(device, layer, x, moved), dy) - value == doctest::Approx(dw[at]).epsilon(1e-4));
    }
    for (std::size_t at = 0; at < x.size(); at += 7) {
      Floats moved = x;
      moved[at] += 1;
      CHECK(product_of(forward(device, layer, moved, w), dy) - value == doctest::Approx(dx[at]).epsilon(1e-4));
    }
    CHECK(complaints().empty());
  }
}

TEST_CASE("double: NHWC and bfloat16 give the same sums, rounded") {
  const Device device;
  const Sizes sizes{.n = 2, .c = 3, .h = 4, .w = 5, .k = 2, .kernel = 3, .padding = 1};
  const Layer layer = new_layer(sizes, CUDNN_DATA_BFLOAT16, CUDNN_TENSOR_NHWC);
  const auto bf16 = [](const Floats& values) { return std::vector<std::uint16_t>(values.begin(), values.end()); };
  std::vector<std::uint16_t> x = bf16(random_floats(120, 4));
  std::vector<std::uint16_t> w = bf16(random_floats(54, 5));
  std::mt19937 random(6);
  for (auto* const values : {&x, &w})
    for (std::uint16_t& value : *values) value = to_bf16(static_cast<double>(random()) / 4e9 - 0.5);
  std::size_t bytes = 0;
  const auto algorithm = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  REQUIRE(cudnnGetConvolutionForwardWorkspaceSize(device.dnn, layer.x, layer.w, layer.how, layer.y, algorithm,
                                                  &bytes) == CUDNN_STATUS_SUCCESS);
  auto* const y = static_cast<std::uint16_t*>(device.block(80 * 2));
  REQUIRE(cudnnConvolutionForward(device.dnn, &kOne, layer.x, device.put(x), layer.w, device.put(w), layer.how,
                                  algorithm, device.block(bytes), bytes, &kZero, layer.y, y) == CUDNN_STATUS_SUCCESS);
  const auto got = device.get(y, 80);
  const auto expected = [&](int n, int k, int p, int q) {
    double sum = 0;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r)
        for (int s = 0; s < 3; ++s) {
          const int h = p + r - 1;
          const int v = q + s - 1;
          if (h < 0 || h >= 4 || v < 0 || v >= 5) continue;
          sum += from_bf16(x[((n * 4 + h) * 5 + v) * 3 + c]) * from_bf16(w[((k * 3 + r) * 3 + s) * 3 + c]);
        }
    return to_bf16(sum);
  };
  for (int at = 0; at < 80; ++at) CHECK(got[at] == expected(at / 40, at % 2, at / 10 % 4, at / 2 % 5));
}

TEST_CASE("double: bfloat16 is rounded once, to the nearest even") {
  CHECK(to_bf16(1.0) == 0x3F80);
  CHECK(to_bf16(1 + 0x1p-8) == 0x3F80);
  CHECK(to_bf16(1 + 0x1p-8 + 0x1p-40) == 0x3F81);
  CHECK(to_bf16(1 + 3 * 0x1p-8 - 0x1p-40) == 0x3F81);
  CHECK(to_bf16(1 + 3 * 0x1p-8) == 0x3F82);
  CHECK(to_bf16(-1 - 0x1p-8 - 0x1p-40) == 0xBF81);
  CHECK(to_bf16(1e300) == 0x7F80);
  CHECK(to_bf16(-0.0) == 0x8000);
  CHECK(std::isnan(from_bf16(to_bf16(NAN))));
}

TEST_CASE("double: algorithms with unordered sums cause complaints, and their results vary") {
  std::set<Floats> results;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Device device({.seed = seed});
    const Layer layer = new_layer({.n = 4, .h = 9, .w = 9, .kernel = 3, .padding = 1});
    const Floats x = random_floats(4 * 81, 1);
    results.insert(backward_filter(device, layer, x, random_floats(4 * 81, 2), 9, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0));
    CHECK(complained("differ from run to run"));
  }
  CHECK(results.size() > 1);
}

TEST_CASE("double: with algorithms_differ, algorithms differ from each other but not from themselves") {
  const auto result = [](std::uint64_t seed, cudnnConvolutionBwdFilterAlgo_t algorithm) {
    const Device device({.seed = seed, .algorithms_differ = true});
    const Layer layer = new_layer({.n = 4, .h = 9, .w = 9, .kernel = 3, .padding = 1});
    return backward_filter(device, layer, random_floats(4 * 81, 1), random_floats(4 * 81, 2), 9, algorithm);
  };
  CHECK(result(1, kFilter) == result(2, kFilter));
  CHECK(result(1, kFilter) != result(1, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT));
}

TEST_CASE("double: algorithms are listed in an order that depends on the seed") {
  std::set<int> firsts;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Device device({.seed = seed});
    const Layer layer = new_layer({});
    int most = 0;
    REQUIRE(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount(device.dnn, &most) == CUDNN_STATUS_SUCCESS);
    std::vector<cudnnConvolutionBwdFilterAlgoPerf_t> list(static_cast<std::size_t>(most));
    int count = 0;
    REQUIRE(cudnnGetConvolutionBackwardFilterAlgorithm_v7(device.dnn, layer.x, layer.y, layer.how, layer.w, most,
                                                          &count, list.data()) == CUDNN_STATUS_SUCCESS);
    list.resize(static_cast<std::size_t>(count));
    firsts.insert(list.front().algo);
    for (const auto& perf : list) {
      const bool unordered =
          perf.algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 || perf.algo == CUDNN_CONVOLUTION_BWD_FILTER_ALGO_3;
      CHECK((perf.determinism == CUDNN_NON_DETERMINISTIC) == unordered);
      CHECK((perf.mathType == CUDNN_FMA_MATH || perf.mathType == CUDNN_DEFAULT_MATH));
      std::size_t bytes = 0;
      const auto status = cudnnGetConvolutionBackwardFilterWorkspaceSize(device.dnn, layer.x, layer.y, layer.how,
                                                                         layer.w, perf.algo, &bytes);
      CHECK(status == perf.status);
      CHECK(bytes == perf.memory);
    }
  }
  CHECK(firsts.size() > 3);
}

TEST_CASE("double: misuse of cuDNN is refused or causes a complaint") {
  const Device device;
  const Layer layer = new_layer({.n = 1, .c = 2, .h = 4, .w = 4, .k = 2, .kernel = 3, .padding = 1});
  float* const x = device.put(random_floats(32, 1));
  float* const w = device.put(random_floats(36, 2));
  float* const y = device.put(Floats(32));
  const auto run = [&](cudnnHandle_t handle, const float* from, float* to, cudnnConvolutionFwdAlgo_t algorithm,
                       void* workspace, std::size_t bytes) {
    return cudnnConvolutionForward(handle, &kOne, layer.x, from, layer.w, w, layer.how, algorithm, workspace, bytes,
                                   &kZero, layer.y, to);
  };
  CHECK(run(device.dnn, x, y, kForward, nullptr, 0) == CUDNN_STATUS_SUCCESS);
  CHECK(complaints().empty());
  const auto precomputed = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
  std::size_t bytes = 0;
  REQUIRE(cudnnGetConvolutionForwardWorkspaceSize(device.dnn, layer.x, layer.w, layer.how, layer.y, precomputed,
                                                  &bytes) == CUDNN_STATUS_SUCCESS);
  auto* const workspace = static_cast<std::byte*>(device.block(bytes + 4));
  CHECK(run(device.dnn, x, y, precomputed, workspace, bytes) == CUDNN_STATUS_SUCCESS);
  CHECK(complaints().empty());
  CHECK(run(device.dnn, x, y, precomputed, workspace, bytes - 1) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(device.dnn, x, y, precomputed, workspace + 4, bytes) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(device.dnn, x, y, precomputed, &bytes, bytes) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(device.dnn, x + 1, y, kForward, nullptr, 0) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(device.dnn, x, x, kForward, nullptr, 0) == CUDNN_STATUS_BAD_PARAM);
  CHECK(run(device.dnn, x, y, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT, nullptr, 0) == CUDNN_STATUS_NOT_SUPPORTED);
  cudnnHandle_t streamless = nullptr;
  REQUIRE(cudnnCreate(&streamless) == CUDNN_STATUS_SUCCESS);
  CHECK(run(streamless, x, y, kForward, nullptr, 0) == CUDNN_STATUS_BAD_PARAM);
  CHECK(complaints().size() == 7);
  REQUIRE(cudnnSetTensor4dDescriptor(layer.y, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 2, 4, 3) == CUDNN_STATUS_SUCCESS);
  CHECK(run(device.dnn, x, y, kForward, nullptr, 0) == CUDNN_STATUS_BAD_PARAM);
  CHECK(complaints().size() == 8);
  CHECK(usage() == Usage{.blocks = 4, .bytes = 3 * 256 + 768, .streams = 1, .descriptors = 4, .handles = 3});
}

TEST_CASE("double: default maths rounds factors to TF32, and FMA maths does not") {
  const Device device;
  const Layer layer = new_layer({.h = 2, .w = 2});
  const Floats x = {1 + 0x1p-14F, 0, 0, 0};
  const Floats w = {1, 0, 0, 0};
  CHECK(forward(device, layer, x, w) == Floats{1 + 0x1p-14F});
  REQUIRE(cudnnSetConvolutionMathType(layer.how, CUDNN_DEFAULT_MATH) == CUDNN_STATUS_SUCCESS);
  CHECK(forward(device, layer, x, w) == Floats{1});
}

TEST_CASE("double: bias, activation and addition after a convolution are computed") {
  const Device device;
  const Layer layer = new_layer({.h = 2, .w = 2, .k = 2, .kernel = 1});
  cudnnTensorDescriptor_t bias = nullptr;
  REQUIRE(cudnnCreateTensorDescriptor(&bias) == CUDNN_STATUS_SUCCESS);
  REQUIRE(cudnnSetTensor4dDescriptor(bias, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 2, 1, 1) == CUDNN_STATUS_SUCCESS);
  cudnnActivationDescriptor_t activation = nullptr;
  REQUIRE(cudnnCreateActivationDescriptor(&activation) == CUDNN_STATUS_SUCCESS);
  float* const x = device.put<float>({1, 2, 3, 4});
  float* const w = device.put<float>({1, -1});
  float* const b = device.put<float>({10, 2});
  float* const y = device.put<float>({1, 1, 1, 1, 0, 0, 0, 0});
  const auto run = [&](cudnnActivationMode_t mode, cudnnConvolutionFwdAlgo_t algorithm, const float& z) {
    REQUIRE(cudnnSetActivationDescriptor(activation, mode, CUDNN_NOT_PROPAGATE_NAN, 0) == CUDNN_STATUS_SUCCESS);
    return cudnnConvolutionBiasActivationForward(device.dnn, &kOne, layer.x, x, layer.w, w, layer.how, algorithm,
                                                 device.block(256), 256, &z, layer.y, y, bias, b, activation, layer.y,
                                                 y);
  };
  CHECK(run(CUDNN_ACTIVATION_IDENTITY, kForward, kZero) == CUDNN_STATUS_NOT_SUPPORTED);
  CHECK(run(CUDNN_ACTIVATION_RELU, kForward, kOne) == CUDNN_STATUS_SUCCESS);
  CHECK(device.get(y, 8) == Floats{12, 13, 14, 15, 1, 0, 0, 0});
  CHECK(run(CUDNN_ACTIVATION_IDENTITY, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM, kZero) ==
        CUDNN_STATUS_SUCCESS);
  CHECK(device.get(y, 8) == Floats{11, 12, 13, 14, 1, 0, -1, -2});
}

TEST_CASE("double: a workspace shared by two streams is a race") {
  const Device device;
  const Layer layer = new_layer({});
  float* const x = device.put(random_floats(9, 1));
  float* const w = device.put(random_floats(4, 2));
  float* const outputs[] = {device.put(Floats(4)), device.put(Floats(4))};
  void* const workspace = device.block(4096);
  REQUIRE(cudaStreamSynchronize(device.stream) == cudaSuccess);
  cudaStream_t streams[] = {device.stream, new_stream()};
  for (int at = 0; at < 2; ++at) {
    CHECK(complaints().empty());
    REQUIRE(cudnnSetStream(device.dnn, streams[at]) == CUDNN_STATUS_SUCCESS);
    REQUIRE(cudnnConvolutionForward(device.dnn, &kOne, layer.x, x, layer.w, w, layer.how,
                                    CUDNN_CONVOLUTION_FWD_ALGO_GEMM, workspace, 4096, &kZero, layer.y,
                                    outputs[at]) == CUDNN_STATUS_SUCCESS);
  }
  CHECK(complained("race"));
}
