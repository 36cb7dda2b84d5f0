#include "fuzz/byte_stream.hpp"
#include "runtime/net/gate/hello.hpp"
#include "runtime/printable.hpp"

using namespace troupe;

namespace {

/// Checks that a refusal is received with its reason.
void round_trip(const std::string& refusal) {
  const auto answer = encode_answer(refusal);
  fuzz::ScriptedStream stream(answer, answer.size());
  const Deadline deadline(std::chrono::seconds(5));
  try {
    say_hello(stream, make_hello(Purpose::data), deadline);
    fuzz::expect(refusal.empty(), "a refusal throws");
  } catch (const Error& error) {
    const std::string text = error.message();
    fuzz::expect(error.code() == ErrorCode::protocol && text.starts_with("refused: "), "a refusal is reported as such");
    fuzz::expect(is_printable(text, 2 * kLongestPeerText), "a text from a peer is printable");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto piece = input.number<std::uint8_t>();
  const auto bytes = input.take(size);
  fuzz::ScriptedStream stream(bytes, piece);
  fuzz::may_refuse([&] { say_hello(stream, make_hello(Purpose::control), Deadline(std::chrono::seconds(5))); },
                   {ErrorCode::protocol, ErrorCode::worker_lost});
  round_trip({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return 0;
}
