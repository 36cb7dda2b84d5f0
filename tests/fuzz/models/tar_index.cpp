#include "models/data/tar/tar_index.hpp"

#include "fuzz/support.hpp"
#include "support/tar_bytes.hpp"

using namespace troupe;

namespace {

const ArchiveBytes& an_archive() {
  static const std::string bytes = troupe_test::tar_bytes({{"a/1.npy", "first"}, {"a/2.npy", "second"}});
  static const ArchiveBytes archive("a.tar",
                                    {std::as_bytes(std::span(bytes)).begin(), std::as_bytes(std::span(bytes)).end()});
  return archive;
}

/// Checks that an index, correct or not, reads the member of the given name or nothing.
void read_index(const std::string& text) {
  const auto index = tar_index_from(text);
  if (!index) return;
  const auto again = tar_index_from(to_text(*index));
  fuzz::expect(again && *again == *index, "the index is read as it was written");
  index->samples.for_each([](const TarSample& sample) {
    fuzz::may_refuse(
        [&] {
          const std::size_t size = read_member(an_archive(), sample.values).bytes.size();
          fuzz::expect(sample.values.name == (size == 5 ? "a/1.npy" : "a/2.npy"), "the member has the given name");
        },
        {ErrorCode::bad_file, ErrorCode::limit_reached});
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_index({reinterpret_cast<const char*>(data), size});
  return 0;
}
