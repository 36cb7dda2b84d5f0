#include "runtime/net/address.hpp"

#include "fuzz/support.hpp"

using namespace troupe;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto understood = [](const Address& address) {
    if (address.host.empty()) return;
    fuzz::expect(Address::parse(address.text()) == address, "an address is read as it was written");
  };
  fuzz::may_refuse([&] { understood(Address::parse(text)); }, {ErrorCode::invalid_argument});
  fuzz::may_refuse([&] { fuzz::expect(Address::parse(text, 1).port > 0, "a port"); }, {ErrorCode::invalid_argument});
  fuzz::may_refuse([&] { understood(parse_listen(text)); }, {ErrorCode::invalid_argument});
  return 0;
}
