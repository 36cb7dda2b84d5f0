#include "models/data/arrays/pixel_order.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "runtime/invalid.hpp"

namespace troupe {
namespace {

/// Rearranges the elements of the images from the order NHWC to the order NCHW. T is an integer type of the size of an
/// element.
template <class T>
void to_planes(NumberArray& images) {
  if (images.bytes.empty()) return;
  const auto samples = static_cast<std::size_t>(images.shape[0]);
  const auto pixels = static_cast<std::size_t>(images.shape[1] * images.shape[2]);
  const auto channels = static_cast<std::size_t>(images.shape[3]);
  std::vector<std::uint8_t> moved(images.bytes.size());
  std::size_t to = 0;
  for (std::size_t n = 0; n < samples; ++n)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t p = 0; p < pixels; ++p, to += sizeof(T))
        std::memcpy(moved.data() + to, images.bytes.data() + ((n * pixels + p) * channels + c) * sizeof(T), sizeof(T));
  images.bytes = std::move(moved);
}

void move_elements(NumberArray& images) {
  switch (images.item_size) {
    case 1:
      return to_planes<std::uint8_t>(images);
    case 2:
      return to_planes<std::uint16_t>(images);
    case 4:
      return to_planes<std::uint32_t>(images);
    default:
      return to_planes<std::uint64_t>(images);
  }
}

}  // namespace

PixelOrder pixel_order_of(const std::string& data, const std::string& text) {
  if (text != "nchw" && text != "nhwc") throw_invalid(data + ": layout=" + text + " must be nchw or nhwc");
  return text == "nchw" ? PixelOrder::nchw : PixelOrder::nhwc;
}

bool is_nhwc(const NumberArray& images, std::optional<PixelOrder> order) {
  constexpr std::int64_t kMostColours = 4;
  if (images.shape.size() != 4) return false;
  if (order) return *order == PixelOrder::nhwc;
  return images.shape[3] <= kMostColours && images.shape[1] > kMostColours;
}

void bring_to_nchw(NumberArray& images, std::optional<PixelOrder> order) {
  if (!is_nhwc(images, order)) return;
  move_elements(images);
  images.shape = {images.shape[0], images.shape[3], images.shape[1], images.shape[2]};
}

}  // namespace troupe
