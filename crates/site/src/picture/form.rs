//! The file formats of pictures.

use std::path::Path;

/// The file format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureForm {
    /// A vector drawing.
    Svg,
    /// Pixels.
    Png,
}

/// The extension of the file name is not that of a picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}: pictures of boards are .svg or .png")]
pub struct UnknownPictureForm(String);

impl PictureForm {
    /// Returns the format of a file by its extension; standard output (`-`) is SVG.
    ///
    /// # Errors
    ///
    /// [`UnknownPictureForm`], which lists the valid extensions.
    ///
    /// ```
    /// use centipawn_site::PictureForm;
    ///
    /// assert_eq!(PictureForm::of("a/board.SVG".as_ref()), Ok(PictureForm::Svg));
    /// assert!(PictureForm::of("board.gif".as_ref()).is_err());
    /// ```
    pub fn of(path: &Path) -> Result<Self, UnknownPictureForm> {
        match path
            .extension()
            .and_then(|extension| extension.to_str())
            .map(str::to_lowercase)
            .as_deref()
        {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            None if path == Path::new("-") => Ok(Self::Svg),
            _ => Err(UnknownPictureForm(path.display().to_string())),
        }
    }
}
