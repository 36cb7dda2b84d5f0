#include <png.h>

#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>

#include "models/files/images/image.hpp"
#include "runtime/files/input_file.hpp"
#include "troupe/error.hpp"

namespace troupe {
namespace {

/// The state of libpng for one file. If a function of libpng fails, the error handler stores the message and jumps to
/// `attempt` by a longjmp. The functions that the longjmp skips must have no local objects with destructors, because
/// these would not run.
struct PngDecoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::byte> rest;  ///< unread bytes of the file
  std::jmp_buf failed{};
  char message[256] = "out of memory";

  explicit PngDecoder(std::span<const std::byte> file) : rest(file) {}
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;
  ~PngDecoder() { png_destroy_read_struct(&png, &info, nullptr); }

  /// Calls `call`, which uses libpng. Returns false if a function of libpng failed.
  template <class Call>
  bool attempt(const Call& call) {
    if (setjmp(failed) != 0) return false;
    call();
    return true;
  }
};

[[noreturn]] void end_png_call(png_structp png, png_const_charp why) {
  auto& decoder = *static_cast<PngDecoder*>(png_get_error_ptr(png));
  std::snprintf(decoder.message, sizeof decoder.message, "%s", why);
  std::longjmp(decoder.failed, 1);
}

void ignore_png_warning(png_structp /*png*/, png_const_charp /*warning*/) {}

void read_png_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& rest = static_cast<PngDecoder*>(png_get_io_ptr(png))->rest;
  if (count > rest.size()) png_error(png, "read beyond end of data");
  std::memcpy(to, rest.data(), count);
  rest = rest.subspan(count);
}

void read_png_header(PngDecoder& decoder) {
  decoder.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder, end_png_call, ignore_png_warning);
  if (decoder.png == nullptr) std::longjmp(decoder.failed, 1);
  decoder.info = png_create_info_struct(decoder.png);
  if (decoder.info == nullptr) std::longjmp(decoder.failed, 1);
  png_set_read_fn(decoder.png, &decoder, read_png_bytes);
  // Makes libpng ignore all parts of the file that it does not need for the pixels, such as gamma, colour profiles and
  // texts. The argument -1 selects all these parts.
  png_set_keep_unknown_chunks(decoder.png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(decoder.png, decoder.info);
}

/// Makes libpng return one byte for each channel of a pixel. libpng then replaces palette indices by colours. If the
/// image has transparency, the pixels have an alpha channel.
/// @param colours if true, libpng converts grey pixels to colours
void ask_for_bytes(PngDecoder& decoder, bool colours) {
  png_set_expand(decoder.png);
  png_set_scale_16(decoder.png);
  if (colours) png_set_gray_to_rgb(decoder.png);
  png_set_interlace_handling(decoder.png);
  png_read_update_info(decoder.png, decoder.info);
}

void read_png_rows(PngDecoder& decoder, std::uint8_t* rows) {
  const std::size_t height = png_get_image_height(decoder.png, decoder.info);
  const std::size_t row_bytes = png_get_rowbytes(decoder.png, decoder.info);
  const int passes = png_get_interlace_type(decoder.png, decoder.info) == PNG_INTERLACE_NONE ? 1 : 7;
  for (int pass = 0; pass < passes; ++pass)
    for (std::size_t y = 0; y < height; ++y) png_read_row(decoder.png, rows + y * row_bytes, nullptr);
}

/// Returns a table that contains, for each alpha from 0 to 255, the factor that blends the value of a pixel with black,
/// in units of 1/65,536. Blending multiplies the light of the pixel by alpha / 255. The value of a pixel is
/// proportional to the 2.2nd root of its light. Therefore the factor for the value is the 2.2nd root of alpha / 255.
std::array<std::uint32_t, 256> shares_on_black() {
  std::array<std::uint32_t, 256> shares{};
  for (std::size_t alpha = 0; alpha < shares.size(); ++alpha)
    shares[alpha] =
        static_cast<std::uint32_t>(std::lround(65536 * std::pow(static_cast<double>(alpha) / 255, 1 / 2.2)));
  return shares;
}

/// Returns the grey value of a colour (red, green, blue) according to ITU-R 601, rounded as libjpeg rounds it. The
/// weights of the three channels are in units of 1/65,536.
std::uint32_t grey_of(const std::array<std::uint32_t, 3>& colour) {
  return (19595 * colour[0] + 38470 * colour[1] + 7471 * colour[2] + 32768) >> 16;
}

/// Converts pixels in place to the requested number of channels. If the pixels have an alpha channel, blends them with
/// black. If grey is requested, converts colours to grey.
/// @param channels the present number of channels: 1 (grey), 2 (grey and alpha), 3 (colours) or 4 (colours and alpha)
/// @param wanted the requested number of channels: 1, or the present number without alpha
void convert_pixels(std::vector<std::uint8_t>& pixels, std::size_t channels, std::size_t wanted) {
  if (channels == wanted) return;
  static const std::array<std::uint32_t, 256> shares = shares_on_black();
  const bool has_alpha = channels % 2 == 0;
  const std::size_t colours = has_alpha ? channels - 1 : channels;
  std::uint8_t* to = pixels.data();
  for (std::size_t at = 0; at < pixels.size(); at += channels) {
    const std::uint32_t share = has_alpha ? shares[pixels[at + colours]] : 65536;
    std::array<std::uint32_t, 3> colour{};
    for (std::size_t i = 0; i < colours; ++i) colour[i] = (share * pixels[at + i] + 32768) >> 16;
    if (colours > wanted) colour[0] = grey_of(colour);
    for (std::size_t i = 0; i < wanted; ++i) *to++ = static_cast<std::uint8_t>(colour[i]);
  }
  pixels.resize(pixels.size() / channels * wanted);
}

/// Owns an image of libpng's simplified interface, and frees it in the destructor.
struct PngImage {
  png_image image{};

  PngImage() { image.version = PNG_IMAGE_VERSION; }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  ~PngImage() { png_image_free(&image); }
};

}  // namespace

Image read_png(const std::string& path, std::span<const std::byte> file, const ImageUse& use) {
  PngDecoder decoder(file);
  const auto refuse = [&] { throw_bad_file(path, std::string("the PNG file is damaged: ") + decoder.message); };
  if (!decoder.attempt([&] { read_png_header(decoder); })) refuse();
  Image image{.width = png_get_image_width(decoder.png, decoder.info),
              .height = png_get_image_height(decoder.png, decoder.info),
              .channels = use.channels,
              .bytes = {}};
  if (image.width * image.height > kMostPixels) throw_bad_file(path, "the image has too many pixels");
  if (!decoder.attempt([&] { ask_for_bytes(decoder, use.channels == 3); })) refuse();
  const std::size_t channels = png_get_channels(decoder.png, decoder.info);
  image.bytes.resize(static_cast<std::size_t>(image.width * image.height) * channels);
  if (!decoder.attempt([&] { read_png_rows(decoder, image.bytes.data()); })) refuse();
  convert_pixels(image.bytes, channels, static_cast<std::size_t>(use.channels));
  return image;
}

std::vector<std::byte> png_of(const Image& image) {
  PngImage writer;
  writer.image.width = static_cast<png_uint_32>(image.width);
  writer.image.height = static_cast<png_uint_32>(image.height);
  writer.image.format = image.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(writer.image);
  std::vector<std::byte> file(size);
  if (png_image_write_to_memory(&writer.image, file.data(), &size, 0, image.bytes.data(), 0, nullptr) == 0)
    throw Error(ErrorCode::unsupported, std::string("cannot make a PNG file: ") + writer.image.message);
  file.resize(size);
  return file;
}

}  // namespace troupe
