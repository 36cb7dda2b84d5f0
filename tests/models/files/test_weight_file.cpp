#include <doctest/doctest.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "models/files.hpp"
#include "models/files/weight_file.hpp"
#include "models/network/network_plan.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

using Tensors = std::vector<TensorInfo>;

const Tensors kTensors{{"a", {2, 3}}, {"b", {1}}};
const std::vector<float> kWeights{1, 2, 3, 4, 5, 6, 7};

/// Returns a safetensors file with this header and `data` zero bytes.
std::string file_bytes(const std::string& header, std::size_t data) {
  return little_endian(header.size(), 8) + header + std::string(data, '\0');
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "F32") {
  return "\"" + name + R"(":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

std::vector<float> read(const std::string& bytes, const Tensors& expected = kTensors) {
  const TemporaryFolder folder;
  write_file(folder / "w.safetensors", bytes);
  return read_safetensors(folder / "w.safetensors", expected);
}

void check_bad(const std::string& what, const std::string& bytes) {
  check_throws(ErrorCode::bad_file, what, [&] { read(bytes); });
  check_throws(ErrorCode::bad_file, "w.safetensors", [&] { read(bytes); });
}

std::string good_bytes() {
  const TemporaryFolder folder;
  write_safetensors(folder / "w", kTensors, kWeights);
  return read_file(folder / "w");
}

const std::string kA = entry("a", "[2,3]", "[0,24]");
const std::string kB = entry("b", "[1]", "[24,28]");

}  // namespace

TEST_CASE("weights are read as they were written, and the same weights make the same bytes") {
  CHECK(read(good_bytes()) == kWeights);
  CHECK(good_bytes() == good_bytes());
  const std::string bytes = good_bytes();
  const auto header = static_cast<unsigned char>(bytes[0]);
  CHECK(header % 8 == 0);
  CHECK(bytes.size() == 8U + header + 28);
}

TEST_CASE("every bit of a weight is preserved") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> weights{-0.0F,
                                   kNan,
                                   std::bit_cast<float>(0xFFA12345U),
                                   std::numeric_limits<float>::infinity(),
                                   std::numeric_limits<float>::denorm_min(),
                                   -1};
  const TemporaryFolder folder;
  write_safetensors(folder / "w", {{"x", {6}}}, weights);
  const auto back = read_safetensors(folder / "w", {{"x", {6}}});
  for (std::size_t i = 0; i < weights.size(); ++i) {
    CHECK(std::bit_cast<std::uint32_t>(back[i]) == std::bit_cast<std::uint32_t>(weights[i]));
  }
}

TEST_CASE("an old file is replaced, and no other file remains in its folder") {
  const TemporaryFolder folder;
  write_file(folder / "w", "old");
  write_safetensors(folder / "w", kTensors, kWeights);
  CHECK(read_safetensors(folder / "w", kTensors) == kWeights);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("the error about a file that cannot be written names the path, and no file remains") {
  const TemporaryFolder folder;
  check_throws(ErrorCode::bad_file, "/nowhere/w", [] { write_safetensors("/nowhere/w", kTensors, kWeights); });
  std::filesystem::create_directory(folder / "w");
  check_throws(ErrorCode::bad_file, folder / "w", [&] { write_safetensors(folder / "w", kTensors, kWeights); });
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("invalid tensors are not written") {
  const auto invalid = [](const Tensors& tensors) {
    const TemporaryFolder folder;
    check_throws(ErrorCode::invalid_argument, "tensor",
                 [&] { write_safetensors(folder / "w", tensors, std::vector<float>(2)); });
    CHECK(std::filesystem::is_empty(folder.path()));
  };
  invalid({{"a", {1}}, {"a", {1}}});
  invalid({{"__metadata__", {2}}});
  invalid({{"a", {3}}});
  invalid({{"\xff", {2}}});
}

TEST_CASE("order in the file, metadata, scalars and empty tensors are accepted") {
  const std::string header = std::string("{") + entry("b", "[1]", "[0,4]") + R"(,"__metadata__":{"format":"pt"},)" +
                             entry("a", "[2,3]", "[4,28]") + "," + entry("none", "[0,5]", "[28,28]") + "," +
                             entry("scalar", "[]", "[28,32]") + "}  ";
  std::string bytes = file_bytes(header, 32);
  bytes[8 + header.size() + 3] = '\x40';  // b = 2
  const auto weights = read(bytes, {{"scalar", {}}, {"a", {2, 3}}, {"none", {0, 5}}, {"b", {1}}});
  CHECK(weights == std::vector<float>{0, 0, 0, 0, 0, 0, 0, 2});
}

TEST_CASE("the error about tensors of another model contains both shapes") {
  const auto mismatch = [](const std::string& what, const Tensors& expected) {
    check_throws(ErrorCode::model_mismatch, what, [&] { read(good_bytes(), expected); });
  };
  mismatch("'c' [4, 5] is missing", {{"a", {2, 3}}, {"b", {1}}, {"c", {4, 5}}});
  mismatch("'b' [1] is not a tensor of the model", {{"a", {2, 3}}});
  mismatch("'a' is [2, 3] in the file, but [3, 2] in the model", {{"a", {3, 2}}, {"b", {1}}});
}

TEST_CASE("PyTorch's num_batches_tracked is accepted only next to running means") {
  const std::string mean = entry("bn.running_mean", "[2]", "[0,8]");
  const Tensors expected{{"bn.running_mean", {2}}};
  const auto file = [&](const std::string& name, const std::string& shape, const std::string& dtype,
                        std::size_t bytes) {
    const std::string end = std::to_string(8 + bytes);
    return file_bytes("{" + mean + "," + entry(name, shape, "[8," + end + "]", dtype) + "}", 8 + bytes);
  };
  CHECK(read(file("bn.num_batches_tracked", "[]", "I64", 8), expected) == std::vector<float>{0, 0});
  const auto mismatch = [&](const std::string& what, const std::string& bytes) {
    check_throws(ErrorCode::model_mismatch, what, [&] { read(bytes, expected); });
  };
  mismatch("'bn2.num_batches_tracked' []", file("bn2.num_batches_tracked", "[]", "I64", 8));
  mismatch("'bn.num_batches_tracked' [1]", file("bn.num_batches_tracked", "[1]", "I64", 8));
  mismatch("'bn.num_batches_tracked' []", file("bn.num_batches_tracked", "[]", "F32", 4));
  const auto bad = [&](const std::string& what, const std::string& bytes) {
    check_throws(ErrorCode::bad_file, what, [&] { read(bytes, expected); });
  };
  bad("'bn.steps' must have dtype F32", file("bn.steps", "[]", "I64", 8));
  bad("'bn.num_batches_tracked' must have dtype F32", file("bn.num_batches_tracked", "[]", "I32", 4));
  bad("do not match", file("bn.num_batches_tracked", "[]", "I64", 4));
  std::string counted = file_bytes("{" + entry("x.num_batches_tracked", "[]", "[0,8]", "I64") + "}", 8);
  counted[counted.size() - 8] = 5;
  CHECK(read(counted, {{"x.num_batches_tracked", {}}}) == std::vector<float>{5});
}

TEST_CASE("the error about weights of another ResNet contains the tensor's name and both shapes") {
  const auto tensors = [](int depth, int classes) {
    Tensors infos;
    for (const models::LayerTensor& tensor :
         plan_network(models::resnet(depth, classes), std::vector<std::int64_t>{3, 32, 32}, classes).tensors)
      infos.push_back(tensor.info);
    return infos;
  };
  const TemporaryFolder folder;
  const Tensors resnet18 = tensors(18, 10);
  write_safetensors(folder / "w", resnet18, std::vector<float>(total_size(resnet18), 0.5F));
  CHECK(read_safetensors(folder / "w", resnet18).size() == total_size(resnet18));
  const auto mismatch = [&](const std::string& what, const Tensors& expected) {
    check_throws(ErrorCode::model_mismatch, what, [&] { read_safetensors(folder / "w", expected); });
  };
  mismatch("'layer1.2.conv1.weight' [64, 64, 3, 3] is missing", tensors(34, 10));
  mismatch("'fc.weight' is [10, 512] in the file, but [7, 512] in the model", tensors(18, 7));
  mismatch("'layer1.0.conv1.weight' is [64, 64, 3, 3] in the file, but [64, 64, 1, 1] in the model", tensors(50, 10));
}

TEST_CASE("F16 and BF16 are converted to floats of the same value") {
  const auto halves = [](const std::string& dtype, const std::vector<std::uint16_t>& bits) {
    std::string data;
    for (const std::uint16_t each : bits) data += little_endian(each, 2);
    const auto size = static_cast<std::int64_t>(bits.size());
    const std::string header =
        "{" + entry("x", "[" + std::to_string(size) + "]", "[0," + std::to_string(2 * size) + "]", dtype) + "}";
    return read(little_endian(header.size(), 8) + header + data, {{"x", {size}}});
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK(halves("F16", {0x0000, 0x3c00, 0xc000, 0x3555, 0x7bff, 0x0400, 0x03ff, 0x8001, 0x7c00, 0xfc00}) ==
        std::vector<float>{0, 1, -2, 0x1.554p-2F, 65504, 0x1p-14F, 0x3ffp-24F, -0x1p-24F, kInfinity, -kInfinity});
  CHECK(std::signbit(halves("F16", {0x8000}).front()));
  CHECK(std::isnan(halves("F16", {0x7e00}).front()));
  CHECK(halves("BF16", {0x3f80, 0xc000, 0x7f80, 0x0001, 0x3eab}) ==
        std::vector<float>{1, -2, kInfinity, 0x1p-133F, 0x1.56p-2F});
  check_bad("do not match", file_bytes("{" + entry("a", "[2,3]", "[0,24]", "F16") + "}", 24));
}

TEST_CASE("other formats and prefixes of PyTorch are recognized, and the error explains the fix") {
  for (const std::string& bytes : {std::string("PK\x03\x04") + std::string(100, 'x'),
                                   std::string("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46") + std::string(100, 'x')}) {
    check_bad("torch.save", bytes);
    check_bad("st.save_file(", bytes);
  }
  const std::string length_640 = "{" + kA + "," + kB + "}";  // its first byte looks like a pickle
  CHECK(read(file_bytes(length_640 + std::string(640 - length_640.size(), ' '), 28)) == std::vector<float>(7));

  for (const std::string word : {"module.", "_orig_mod."}) {
    const std::string wrapped =
        file_bytes("{" + entry(word + "a", "[2,3]", "[0,24]") + "," + entry(word + "b", "[1]", "[24,28]") + "}", 28);
    check_throws(ErrorCode::model_mismatch, "tensor 'a' [2, 3] is missing; the file has '" + word + "a', as",
                 [&] { read(wrapped); });
    check_throws(ErrorCode::model_mismatch, "model." + word + "state_dict()", [&] { read(wrapped); });
  }
}

TEST_CASE("weights that are not finite are refused with the name of the first such tensor") {
  const TemporaryFolder folder;
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    std::vector<float> weights = kWeights;
    weights[6] = value;
    write_safetensors(folder / "w", kTensors, weights);
    CHECK(read_safetensors(folder / "w", kTensors).size() == 7);
    const SafetensorsFile file(folder / "w");
    check_throws(ErrorCode::non_finite_weights, "tensor 'b' contains NaN or infinity",
                 [&] { read_weights(file, kTensors); });
    check_throws(ErrorCode::non_finite_weights, folder / "w", [&] { read_weights(file, kTensors); });
  }
  write_safetensors(folder / "w", kTensors, kWeights);
  CHECK(read_weights(SafetensorsFile(folder / "w"), kTensors) == kWeights);
}

TEST_CASE("tensors that match are read, and the names of the others are returned") {
  const TemporaryFolder folder;
  const Tensors stored{{"0.weight", {2}}, {"0.bias", {1}}, {"9.weight", {2, 2}}, {"9.bias", {2}}, {"more", {1}}};
  write_safetensors(folder / "w", stored, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const SafetensorsFile file(folder / "w");
  const auto read_into = [&](const Tensors& tensors, std::vector<float> weights) {
    const auto others = read_without_head(file, tensors, weights);
    return std::pair(others, weights);
  };
  using Names = std::vector<std::string>;
  using Floats = std::vector<float>;
  CHECK(read_into({{"0.weight", {2}}, {"0.bias", {1}}, {"9.weight", {3, 2}}, {"9.bias", {3}}}, Floats(12)) ==
        std::pair(Names{"9.weight", "9.bias"}, Floats{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  CHECK(read_into({{"0.bias", {1}}, {"0.weight", {5}}, {"new", {1}}}, {-1, -1, -1, -1, -1, -1, -1}) ==
        std::pair(Names{"0.weight", "new"}, Floats{3, -1, -1, -1, -1, -1, -1}));
  // The last layer is not read even if its shape fits: it was trained for another task.
  CHECK(read_into({{"0.bias", {1}}, {"9.weight", {2, 2}}, {"9.bias", {2}}}, Floats(7)) ==
        std::pair(Names{"9.weight", "9.bias"}, Floats{3, 0, 0, 0, 0, 0, 0}));
  check_throws(ErrorCode::model_mismatch, "no tensor of the file", [&] {
    read_into({{"x", {1}}, {"y", {1}}}, Floats(2));
  });
  check_throws(ErrorCode::model_mismatch, "the network is a single layer", [&] {
    read_into({{"0.weight", {2}}, {"0.bias", {1}}}, Floats(3));
  });
}

TEST_CASE("truncated and longer files are refused") {
  const std::string good = good_bytes();
  for (std::size_t length = 0; length < good.size(); ++length) {
    CAPTURE(length);
    check_throws(ErrorCode::bad_file, "w.safetensors", [&] { read(good.substr(0, length)); });
  }
  check_bad("bytes after", good + "x");
  check_throws(ErrorCode::bad_file, "/nowhere/w", [] { read_safetensors("/nowhere/w", kTensors); });
}

TEST_CASE("headers with a wrong length are refused") {
  check_bad("longer than the file", little_endian(~0ULL, 8) + "{}");
  check_bad("longer than the file", little_endian(3, 8) + "{}");
  check_bad("not a safetensors file", little_endian(0, 8));
  check_bad("too short", "{}");
}

TEST_CASE("headers that are not valid safetensors JSON are refused") {
  const auto bad = [](const std::string& what, const std::string& header, std::size_t data = 28) {
    CAPTURE(header);
    check_bad(what, file_bytes(header, data));
  };
  bad("not a safetensors file", "[1]");
  bad("not a safetensors file", " {" + kA + "," + kB + "}");
  bad("not JSON", std::string("{") + kA + "," + kB);
  bad("not JSON", std::string("{") + kA + "," + kB + "}}");
  bad("not JSON", "{\"\xff\":1}");
  bad("twice", std::string("{") + kA + "," + kA + "," + kB + "}");
  bad("twice", R"({"a":{"dtype":"F32","dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})");
  bad("nested deeper", "{\"a\":" + std::string(100'000, '['));
  bad("nested deeper", "{\"a\":{\"shape\":[[[1]]]}}");
  bad("__metadata__", "{\"__metadata__\":{\"a\":1}," + kA + "," + kB + "}");
  bad("__metadata__", "{\"__metadata__\":\"a\"," + kA + "," + kB + "}");
}

TEST_CASE("malformed tensors are refused") {
  const auto bad = [](const std::string& what, const std::string& tensor, std::size_t data = 28) {
    CAPTURE(tensor);
    check_bad(what, file_bytes("{" + tensor + "}", data));
  };
  bad("must have dtype F32, F16 or BF16, not F64; convert it in Python with w.float()",
      entry("a", "[2,3]", "[0,24]", "F64"));
  bad("the keys dtype", R"("a":{"dtype":"F32","shape":[2,3]})");
  bad("the keys dtype", R"("a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24],"more":1})");
  bad("the keys dtype", R"("a":3)");
  for (const char* shape : {"[-1]", "[1.5]", "[\"1\"]", "3", "[99999999999999999999]", "[18446744073709551615]"}) {
    bad("shape of tensor 'a'", entry("a", shape, "[0,4]"));
  }
  bad("too large", entry("a", "[4611686018427387904,4]", "[0,0]"));
  bad("do not match", entry("a", "[2,3]", "[0,20]"));
  bad("do not match", entry("a", "[2,3]", "[24,0]"));
  bad("two numbers", entry("a", "[2,3]", "[0]"));
  bad("data_offsets", entry("a", "[2,3]", "[-24,0]"));
}

TEST_CASE("tensors that overlap, leave holes or leave the file are refused") {
  const auto bad = [](const std::string& what, const std::string& b, std::size_t data) {
    check_bad(what, file_bytes(std::string("{") + kA + "," + b + "}", data));
  };
  bad("overlap or leave gaps", entry("b", "[1]", "[20,24]"), 24);
  bad("overlap or leave gaps", entry("b", "[1]", "[0,4]"), 24);
  bad("overlap or leave gaps", entry("b", "[1]", "[28,32]"), 32);
  bad("truncated", entry("b", "[1]", "[24,28]"), 24);
  bad("bytes after", entry("b", "[1]", "[24,28]"), 29);
}

TEST_CASE("weights replace regular files only") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  check_throws(ErrorCode::bad_file, "regular file", [&] { write_safetensors(pipe, kTensors, kWeights); });
  check_throws(ErrorCode::bad_file, "regular file", [&] { write_safetensors("/dev/null", kTensors, kWeights); });
}
