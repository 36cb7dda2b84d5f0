#include <memory>
#include <vector>

#include "fuzz/support.hpp"
#include "models/data/tokens/token_file.hpp"
#include "runtime/files/memory_bytes.hpp"

using namespace troupe;

/// The first byte of the input selects the format and the name of the file; the others are the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto selects = input.number<std::uint8_t>();
  const auto format = static_cast<TokenFormat>(selects % 4);
  const auto bytes = input.take(SIZE_MAX);
  fuzz::may_refuse(
      [&] {
        const TokenFile file(std::make_shared<const MemoryBytes>((selects & 4U) != 0 ? "tokens.npy" : "tokens.bin", 0,
                                                                 std::vector(bytes.begin(), bytes.end())),
                             format);
        fuzz::expect(file.size() >= 0 && static_cast<std::size_t>(file.size()) <= bytes.size() / 2,
                     "the file has as many tokens as it has room for");
        std::vector<std::uint32_t> tokens(static_cast<std::size_t>(file.size()));
        file.read(0, tokens, file.usual_vocabulary());
        for (const std::uint32_t token : tokens)
          fuzz::expect(token < file.usual_vocabulary(), "tokens are in the vocabulary");
        if (tokens.empty()) return;
        std::vector<std::uint32_t> last(1);
        file.read(file.size() - 1, last, file.usual_vocabulary());
        fuzz::expect(last.front() == tokens.back(), "a token is the same when it is read alone");
      },
      {ErrorCode::bad_file, ErrorCode::bad_data});
  return 0;
}
