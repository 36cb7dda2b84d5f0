#include "runtime/net/data/frame.hpp"

#include "runtime/net/little_endian.hpp"

namespace troupe {
namespace {

constexpr std::uint64_t kSegmentMagic = 0x3130'6765'7350'5254;  // "TRPSeg01"

}  // namespace

std::array<std::byte, kFrameHeaderBytes> encode(const FrameHeader& header) {
  net::Writer<kFrameHeaderBytes> writer;
  writer.number(kSegmentMagic);
  writer.number(header.window);
  writer.number(header.segment);
  writer.number(header.ticket);
  writer.number(header.bytes);
  return writer.bytes();
}

std::optional<FrameHeader> decode_frame_header(std::span<const std::byte, kFrameHeaderBytes> bytes) {
  net::Reader<kFrameHeaderBytes> reader(bytes);
  if (reader.number<std::uint64_t>() != kSegmentMagic) return std::nullopt;
  FrameHeader header;
  header.window = reader.number<WindowId>();
  header.segment = reader.number<std::uint32_t>();
  header.ticket = reader.number<std::uint64_t>();
  header.bytes = reader.number<std::uint64_t>();
  return header;
}

}  // namespace troupe
