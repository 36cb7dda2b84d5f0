#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "models/data/dataset_arrays.hpp"
#include "models/data/samples.hpp"
#include "models/data/shared/packed_data.hpp"
#include "support/errors.hpp"

using namespace troupe;
using troupe::testing::read_all;

namespace {

using Bytes = std::vector<std::byte>;

std::shared_ptr<const Dataset> pictures(std::int32_t first) {
  return std::make_shared<const Dataset>(Dataset::classes({1, 2}, std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}, 0.5F,
                                                          {first, 1, 0}, 3, "a file \xff of no encoding",
                                                          {"one", "two", "three"}));
}

Bytes packed(const TrainingData& data) {
  const auto content = pack(data);
  Bytes bytes(content.bytes);
  if (content.write) content.write(bytes);
  return bytes;
}

/// Copies the bytes to a page-aligned address, as in shared memory.
SharedBytes in_memory(const Bytes& bytes) {
  auto pages = std::shared_ptr<std::byte>(new (std::align_val_t(4096)) std::byte[bytes.size() + 1],
                                          [](std::byte* all) { ::operator delete[](all, std::align_val_t(4096)); });
  std::ranges::copy(bytes, pages.get());
  return {{pages.get(), bytes.size()}, pages};
}

}  // namespace

TEST_CASE("unpacked data equals the packed data and keeps the shared memory alive") {
  const TrainingData data{pictures(0), nullptr, pictures(2)};
  TrainingData again;
  {
    const SharedBytes bytes = in_memory(packed(data));
    again = unpack(bytes);
  }
  CHECK_FALSE(again.test);
  for (const auto& [one, other] : {std::pair(data.train, again.train), std::pair(data.validation, again.validation)}) {
    CHECK(read_all(*one).values == read_all(*other).values);
    CHECK(read_all(*one).labels == read_all(*other).labels);
    CHECK(one->info().class_names == other->info().class_names);
    CHECK(one->info().origin == other->info().origin);
    CHECK(one->info().byte_scale == other->info().byte_scale);
    CHECK(one->info().shape == other->info().shape);
  }
  const Dataset plain = Dataset::targets({2}, {1, 2, 3, 4}, {5, 6, 7, 8}, 2, "numbers");
  DataInfo named = plain.info();
  named.value_names = {"a", "b"};
  named.target_names = {"c", "d"};
  named.missing = {{"a", 3}};
  const TrainingData numbers{std::make_shared<const Dataset>(DatasetArrays::make(named, DatasetArrays::of(plain)))};
  const SharedBytes bytes = in_memory(packed(numbers));
  CHECK(read_all(*unpack(bytes).train).values == read_all(*numbers.train).values);
  CHECK(read_all(*unpack(bytes).train).targets == read_all(*numbers.train).targets);
  const DataInfo info = unpack(bytes).train->info();
  CHECK(info.value_names == named.value_names);
  CHECK(info.target_names == named.target_names);
  REQUIRE(info.missing.size() == 1);
  CHECK(info.missing[0].column == "a");
  CHECK(info.missing[0].fields == 3);
}

TEST_CASE("data that is computed on request is not packed") {
  class Computed final : public DataSource {
   public:
    Computed() : DataSource({.num_samples = 1, .shape = {1}, .num_classes = 1}) {}

   private:
    void read(const BatchRequest& /*request*/) const override {}
  };
  CHECK(pack({pictures(0), std::make_shared<const Computed>()}).bytes == 0);
}

TEST_CASE("damaged shared data is refused") {
  const Bytes whole = packed({pictures(0)});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const SharedBytes bytes = in_memory(part);
    try {
      unpack(bytes);
      CHECK(size > whole.size() - 64);  // only the padding of the last array is missing
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::bad_data);
    }
  }
}
