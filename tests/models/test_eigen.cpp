#include <doctest/doctest.h>

#include <vector>

#include "models/files.hpp"
#include "troupe/eigen.hpp"

using namespace troupe;
using testing::check_throws;

namespace {

const std::vector<TensorInfo> kTensors{{"conv", {2, 3, 1, 2}}, {"bias", {2}}, {"scale", {}}, {"fc", {3, 4}}};

}  // namespace

TEST_CASE("tensors become row-major matrices, rows and columns without a copy") {
  std::vector<float> values(total_size(kTensors));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const auto tensors = eigen::tensors(kTensors, values);
  const auto conv = tensors.matrix("conv");
  CHECK(conv.data() == values.data());
  CHECK(conv.rows() == 2);
  CHECK(conv.cols() == 6);
  CHECK(conv(1, 2) == 8);
  CHECK(tensors.matrix("bias").rows() == 1);
  CHECK(tensors.row("bias").cols() == 2);
  CHECK(tensors.column("bias").rows() == 2);
  CHECK(tensors.row("scale").size() == 1);
  tensors.matrix("fc")(2, 3) = -1;
  CHECK(values.back() == -1);
  CHECK(eigen::row(std::span<const float>(values)).size() == 27);
}

TEST_CASE("an unknown tensor or one beyond the end of the floats is an error") {
  std::vector<float> values(total_size(kTensors));
  check_throws(ErrorCode::invalid_argument, "there is no tensor 'fcc'",
               [&] { eigen::tensors(kTensors, values).row("fcc"); });
  values.resize(values.size() - 1);
  check_throws(ErrorCode::invalid_argument, "tensor 'fc' needs more",
               [&] { eigen::tensors(kTensors, values).matrix("fc"); });
  CHECK(eigen::tensors(kTensors, values).row("bias").size() == 2);
}

TEST_CASE("read-only weights become read-only maps") {
  const std::vector<float> weights(total_size(kTensors), 1);
  const auto tensors = eigen::tensors(kTensors, weights);
  static_assert(std::is_const_v<std::remove_pointer_t<decltype(tensors.row("bias").data())>>);
  CHECK(tensors.matrix("fc").sum() == 12);
}

TEST_CASE("the info of a model's tensors contains their total size") {
  const ModelInfo info = info_of(kTensors);
  CHECK(info.size == 27);
  REQUIRE(info.tensors.size() == 4);
  CHECK(info.tensors[3].name == "fc");
}

TEST_CASE("samples are matrix rows, with labels or targets") {
  const Samples samples{.count = 2, .values = {1, 2, 3, 4, 5, 6}, .labels = {7, 8}};
  CHECK(eigen::values(samples).data() == samples.values.data());
  CHECK(eigen::values(samples)(1, 0) == 4);
  CHECK(eigen::labels(samples)[1] == 8);
  CHECK(eigen::targets(samples).cols() == 0);
  const Samples none;
  CHECK(eigen::values(none).size() == 0);
}
