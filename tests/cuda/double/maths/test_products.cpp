#include "cuda/double/maths/elements.hpp"
#include "cuda/double/maths/maths_trial.hpp"

using namespace troupe::cuda_double;

namespace {

struct Multiplication {
  cublasOperation_t a = CUBLAS_OP_N;
  cublasOperation_t b = CUBLAS_OP_N;
  float beta = 0;
};

/// Compares a 3 x 4 product over k = 5, in matrices with spare rows, with plain loops.
void check_product(const Device& device, const Multiplication& how) {
  const int lda = 6;
  const int ldb = 7;
  const int ldc = 4;
  const Floats a = random_floats(36, 1);
  const Floats b = random_floats(49, 2);
  const Floats c = random_floats(16, 3);
  float* const result = device.put(c);
  REQUIRE(cublasGemmEx(device.blas, how.a, how.b, 3, 4, 5, &kOne, device.put(a), CUDA_R_32F, lda, device.put(b),
                       CUDA_R_32F, ldb, &how.beta, result, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F_PEDANTIC,
                       CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS);
  Floats expected = c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int l = 0; l < 5; ++l)
        sum += static_cast<double>(how.a == CUBLAS_OP_N ? a[l * lda + i] : a[i * lda + l]) *
               (how.b == CUBLAS_OP_N ? b[j * ldb + l] : b[l * ldb + j]);
      expected[j * ldc + i] = static_cast<float>(sum + (how.beta == 0 ? 0 : how.beta * c[j * ldc + i]));
    }
  CHECK(device.get(result, 16) == expected);
}

}  // namespace

TEST_CASE("double: matrix products equal plain loops") {
  for (const auto a : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (const auto b : {CUBLAS_OP_N, CUBLAS_OP_T})
      for (const float beta : {0.0F, 0.5F}) {
        const Device device;
        check_product(device, {a, b, beta});
        CHECK(complaints().empty());
      }
}

TEST_CASE("double: products of bfloat16 can have outputs of either type") {
  const Device device;
  const std::vector<std::uint16_t> a = {to_bf16(1), to_bf16(2)};
  const std::vector<std::uint16_t> b = {to_bf16(3), to_bf16(0x1p-9)};
  auto* const single = static_cast<float*>(device.block(4));
  auto* const rounded = static_cast<std::uint16_t*>(device.block(2));
  const auto run = [&](void* c, cudaDataType type, cublasComputeType_t compute) {
    return cublasGemmEx(device.blas, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &kOne, device.put(a), CUDA_R_16BF, 1,
                        device.put(b), CUDA_R_16BF, 2, &kZero, c, type, 1, compute, CUBLAS_GEMM_DEFAULT);
  };
  CHECK(run(single, CUDA_R_32F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
  CHECK(run(rounded, CUDA_R_16BF, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_SUCCESS);
  CHECK(device.get(single, 1) == Floats{3 + 0x1p-8F});
  CHECK(device.get(rounded, 1) == std::vector<std::uint16_t>{to_bf16(3)});
  CHECK(complaints().empty());
  CHECK(run(single, CUDA_R_32F, CUBLAS_COMPUTE_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
  CHECK(run(single, CUDA_R_16F, CUBLAS_COMPUTE_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_CASE("double: misuse of cuBLAS is refused or causes a complaint") {
  const Device device;
  float* const a = device.put(random_floats(6, 1));
  float* const c = device.put(random_floats(4, 1));
  const auto run = [&](float* to, int lda, int k) {
    return cublasGemmEx(device.blas, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, k, &kOne, a, CUDA_R_32F, lda, a, CUDA_R_32F, 2,
                        &kZero, to, CUDA_R_32F, 2, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  };
  void* const workspace = device.block(1024);
  REQUIRE(cublasSetWorkspace(device.blas, workspace, 1024) == CUBLAS_STATUS_SUCCESS);
  CHECK(run(c, 2, 3) == CUBLAS_STATUS_SUCCESS);
  CHECK(products_without_workspace() == 0);
  REQUIRE(cublasSetStream(device.blas, device.stream) == CUBLAS_STATUS_SUCCESS);
  CHECK(run(c, 2, 3) == CUBLAS_STATUS_SUCCESS);
  CHECK(products_without_workspace() == 1);
  CHECK(complaints().empty());
  CHECK(run(c, 1, 3) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(run(c, 2, 4) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(run(c + 1, 2, 3) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(run(a, 2, 3) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(complaints().size() == 4);
}

TEST_CASE("double: a device failure is reported by the libraries, and handles are still released") {
  const Device counting;
  const std::int64_t made = calls();
  const Device device({.failing_call = made});
  CHECK(cudaStreamSynchronize(device.stream) == cudaErrorLaunchFailure);
  CHECK(cudnnSetStream(device.dnn, device.stream) == CUDNN_STATUS_EXECUTION_FAILED);
  CHECK(cublasSetStream(device.blas, device.stream) == CUBLAS_STATUS_EXECUTION_FAILED);
  CHECK(cudnnDestroy(device.dnn) == CUDNN_STATUS_EXECUTION_FAILED);
  CHECK(cublasDestroy(device.blas) == CUBLAS_STATUS_EXECUTION_FAILED);
  CHECK(usage().handles == 0);
}
